use std::{fmt, sync::Arc};

use cuzk_backend::{
    Evaluate, Keep, KeyPlan, Msm, ProverBackend, QueryName, SharedBases, WitnessSchedule,
    WitnessSplit,
};
use cuzk_curve::{G1, G2, SourceGroup};
use cuzk_params::{Parameters, Query};
use cuzk_r1cs::{Bitmap, CsrMatrix, PackedWitness, Shape};

use crate::{
    CircuitLayout, FoldedQueries, PreparedVerifyingKey, ProveError,
    circuit_layout::LinearCounts,
    planned::{Unprepared, planned},
};

/// The five queries of a key on a machine, with what a proof needs besides.
///
/// Enough for a proof whose evaluations come from a direct pass. A [`ProvingKey`] adds the
/// matrices.
pub struct QueryKey<B: ProverBackend> {
    pub(crate) layout: CircuitLayout,
    pub(crate) form: QuotientForm,
    pub(crate) schedule: WitnessSchedule,
    pub(crate) h: <B as Msm<G1>>::Bases,
    pub(crate) l: <B as Msm<G1>>::Bases,
    pub(crate) a: <B as Msm<G1>>::Bases,
    pub(crate) b_g1: <B as Msm<G1>>::Bases,
    pub(crate) b_g2: <B as Msm<G2>>::Bases,
    pub(crate) l_selection: <B as WitnessSplit>::Selection,
    pub(crate) a_selection: <B as WitnessSplit>::Selection,
    pub(crate) b_selection: <B as WitnessSplit>::Selection,
    pub(crate) verifying_key: PreparedVerifyingKey,
}

/// A key prepared for one circuit shape on one machine: the matrices and the queries.
///
/// Made once, used for any number of proofs, from any number of threads.
pub struct ProvingKey<B: ProverBackend> {
    pub(crate) queries: QueryKey<B>,
    pub(crate) shape: Arc<Shape>,
    pub(crate) a: <B as Evaluate>::Matrix,
    pub(crate) b: <B as Evaluate>::Matrix,
    /// None where the L query stands for its products.
    pub(crate) c: Option<<B as Evaluate>::Matrix>,
}

impl<B: ProverBackend> QueryKey<B> {
    /// Checks the parameters against a circuit's layout and brings them to the machine.
    ///
    /// # Errors
    /// [`ProveError::KeyMismatch`] for the first section whose length is not that of the
    /// circuit; [`ProveError::Backend`].
    pub fn prepare(
        backend: &B,
        layout: CircuitLayout,
        parameters: &Parameters,
    ) -> Result<Self, ProveError> {
        check_lengths(&layout, parameters)?;
        let queries = LinearQueries {
            form: QuotientForm::Seven,
            h: &parameters.h,
            l: &parameters.l,
            l_variables: layout.auxiliary(),
        };
        let shape = layout.key_shape([None; 3], &queries.counts());
        let bring = |plan: &KeyPlan| Self::bring(backend, &layout, parameters, &queries, plan);
        let key = planned(backend, &shape, bring)?;
        Ok(Self { layout, ..key })
    }

    /// Brings the queries as a plan says.
    fn bring(
        backend: &B,
        layout: &CircuitLayout,
        parameters: &Parameters,
        queries: &LinearQueries<'_>,
        plan: &KeyPlan,
    ) -> Result<Self, Unprepared<B>> {
        let verifying_key = PreparedVerifyingKey::new(&parameters.vk).map_err(ProveError::from)?;
        let select = |bits| backend.prepare_selection(bits).map_err(Unprepared::Backend);
        Ok(Self {
            form: queries.form,
            schedule: plan.schedule,
            h: bases::<G1, B>(backend, QueryName::H, queries.h, plan.h)?,
            l: bases::<G1, B>(backend, QueryName::L, queries.l, plan.l)?,
            a: bases::<G1, B>(backend, QueryName::A, &parameters.a, plan.a)?,
            b_g1: bases::<G1, B>(backend, QueryName::BG1, &parameters.b_g1, plan.b_g1)?,
            b_g2: bases::<G2, B>(backend, QueryName::BG2, &parameters.b_g2, plan.b_g2)?,
            l_selection: select(&queries.l_variables)?,
            a_selection: select(&layout.densities.a)?,
            b_selection: select(&layout.densities.b)?,
            verifying_key,
            layout: layout.clone(),
        })
    }

    /// Whether its quotient takes four transforms, see [`FoldedQueries`].
    #[must_use]
    pub fn is_folded(&self) -> bool {
        self.form == QuotientForm::Four
    }

    /// The counts that the key was checked against.
    #[must_use]
    pub fn layout(&self) -> &CircuitLayout {
        &self.layout
    }

    /// The key's verifying part.
    #[must_use]
    pub fn verifying_key(&self) -> &PreparedVerifyingKey {
        &self.verifying_key
    }

    pub(crate) fn check_witness(&self, witness: &PackedWitness) -> Result<(), ProveError> {
        let counts = [
            ("inputs", self.layout.num_inputs, witness.num_inputs()),
            ("variables", self.layout.num_variables(), witness.len()),
        ];
        for (what, expected, got) in counts {
            if expected != got {
                return Err(ProveError::WitnessMismatch {
                    what,
                    expected,
                    got,
                });
            }
        }
        Ok(())
    }
}

impl<B: ProverBackend> ProvingKey<B> {
    /// Checks the parameters against a shape and brings both to the machine.
    ///
    /// # Errors
    /// [`ProveError::KeyMismatch`] for the first section whose length is not that of the
    /// shape; [`ProveError::Domain`]; [`ProveError::Backend`].
    pub fn prepare(
        backend: &B,
        shape: Arc<Shape>,
        parameters: &Parameters,
    ) -> Result<Self, ProveError> {
        let layout = CircuitLayout::of_shape(&shape)?;
        check_lengths(&layout, parameters)?;
        let queries = LinearQueries {
            form: QuotientForm::Seven,
            h: &parameters.h,
            l: &parameters.l,
            l_variables: layout.auxiliary(),
        };
        Self::prepare_with(backend, shape, parameters, &layout, &queries)
    }

    /// The same with a quotient of four transforms: proofs have the same bytes for the same
    /// blinding.
    ///
    /// # Errors
    /// As [`ProvingKey::prepare`]; also where the folded queries have other lengths than the
    /// shape needs.
    pub fn prepare_folded(
        backend: &B,
        shape: Arc<Shape>,
        parameters: &Parameters,
        folded: &FoldedQueries,
    ) -> Result<Self, ProveError> {
        let layout = CircuitLayout::of_shape(&shape)?;
        check_lengths(&layout, parameters)?;
        folded.check_lengths(&layout)?;
        let queries = LinearQueries {
            form: QuotientForm::Four,
            h: folded.h(),
            l: folded.l(),
            l_variables: layout.all_variables(),
        };
        Self::prepare_with(backend, shape, parameters, &layout, &queries)
    }

    fn prepare_with(
        backend: &B,
        shape: Arc<Shape>,
        parameters: &Parameters,
        layout: &CircuitLayout,
        queries: &LinearQueries<'_>,
    ) -> Result<Self, ProveError> {
        let c = (queries.form == QuotientForm::Seven).then(|| shape.c());
        let matrix = |matrix: &CsrMatrix| {
            let prepared = backend.prepare_matrix(matrix);
            prepared.map_err(Unprepared::Backend)
        };
        let matrices = [Some(shape.a()), Some(shape.b()), c];
        let key_shape = layout.key_shape(matrices, &queries.counts());
        let (queries, a, b, c) = planned(backend, &key_shape, |plan| {
            let queries = QueryKey::bring(backend, layout, parameters, queries, plan)?;
            let (a, b) = (matrix(shape.a())?, matrix(shape.b())?);
            Ok((queries, a, b, c.map(matrix).transpose()?))
        })?;
        Ok(Self {
            queries,
            shape,
            a,
            b,
            c,
        })
    }

    /// The circuit's shape.
    #[must_use]
    pub fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    /// The queries alone.
    #[must_use]
    pub fn queries(&self) -> &QueryKey<B> {
        &self.queries
    }

    /// The key's verifying part.
    #[must_use]
    pub fn verifying_key(&self) -> &PreparedVerifyingKey {
        &self.queries.verifying_key
    }
}

/// Which scalars the H query takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuotientForm {
    /// Coefficients of h.
    Seven,
    /// Values of a·b on the coset.
    Four,
}

/// The queries that depend on the form of the quotient.
struct LinearQueries<'a> {
    form: QuotientForm,
    h: &'a Query<G1>,
    l: &'a Query<G1>,
    l_variables: Bitmap,
}

impl LinearQueries<'_> {
    fn counts(&self) -> LinearCounts {
        LinearCounts {
            folded: self.form == QuotientForm::Four,
            h: self.h.len(),
            l: self.l.len(),
        }
    }
}

fn bases<G: SourceGroup, B: Msm<G>>(
    backend: &B,
    name: QueryName,
    query: &Query<G>,
    keep: Keep,
) -> Result<B::Bases, Unprepared<B>> {
    let prepared = backend.prepare_as(SharedBases::new(query.clone()).of_query(name), keep);
    prepared.map_err(Unprepared::Backend)
}

pub(crate) fn check_lengths(
    layout: &CircuitLayout,
    parameters: &Parameters,
) -> Result<(), ProveError> {
    let a = layout.densities.a.count_ones();
    let b = layout.densities.b.count_ones();
    let sections = [
        ("ic query", layout.num_inputs, parameters.vk.ic.len()),
        ("h query", layout.domain.n() - 1, parameters.h.len()),
        ("l query", layout.num_aux(), parameters.l.len()),
        ("a query", a, parameters.a.len()),
        ("b_g1 query", b, parameters.b_g1.len()),
        ("b_g2 query", b, parameters.b_g2.len()),
    ];
    for (what, expected, got) in sections {
        if expected != got {
            return Err(ProveError::KeyMismatch {
                what,
                expected,
                got,
            });
        }
    }
    Ok(())
}

impl<B: ProverBackend> fmt::Debug for QueryKey<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryKey")
            .field("inputs", &self.layout.num_inputs)
            .field("variables", &self.layout.num_variables())
            .field("rows", &self.layout.num_rows)
            .finish_non_exhaustive()
    }
}

impl<B: ProverBackend> fmt::Debug for ProvingKey<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProvingKey")
            .field("queries", &self.queries)
            .finish_non_exhaustive()
    }
}
