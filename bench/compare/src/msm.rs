use anyhow::Result;
use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};
use blst::MultiPoint;
use blstrs::Scalar as Fr;
use clap::Args;
use cuzk_cpu::MsmSettings;
use cuzk_curve::{G1, G2, SourceGroup};
use cuzk_lanes::{LaneGroup, Lanes};
use cuzk_measure::measured;
use ff::Field;
use group::{Curve, Group};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use crate::{
    contest::{Common, Contender, Row},
    scalar::Scalar,
};

/// Multi-scalar multiplications with uniform scalars: blst, arkworks and cuzk.
#[derive(Debug, Clone, Args)]
pub(crate) struct MsmContest {
    /// Logarithms of the numbers of points in G1.
    #[arg(long, value_delimiter = ',', default_values_t = [14, 16, 18, 20])]
    log_n_g1: Vec<u32>,
    /// Logarithms of the numbers of points in G2.
    #[arg(long, value_delimiter = ',', default_values_t = [14, 16, 18])]
    log_n_g2: Vec<u32>,
    #[command(flatten)]
    common: Common,
}

impl MsmContest {
    pub(crate) fn run(&self) -> Result<()> {
        let provenance = self.common.begin()?;
        let mut rows = Vec::new();
        for &log_n in &self.log_n_g1 {
            rows.extend(self.size::<G1>(log_n)?);
        }
        for &log_n in &self.log_n_g2 {
            rows.extend(self.size::<G2>(log_n)?);
        }
        self.common.end(provenance, "msm", &rows)
    }

    fn size<G: Peers>(&self, log_n: u32) -> Result<Vec<Row>> {
        let (points, scalars) = inputs::<G>(log_n);
        let contenders = vec![
            G::blst(&points, &scalars),
            G::ark(&points, &scalars)?,
            own::<G>("cuzk, portable", Lanes::Portable, &points, &scalars),
            own::<G>("cuzk", Lanes::Detect, &points, &scalars),
        ];
        let what = format!("msm {} 2^{log_n}", G::NAME);
        self.common.contest(&what, true, contenders)
    }
}

/// Points without a known relation that would help, and uniform scalars.
fn inputs<G: SourceGroup>(log_n: u32) -> (Vec<G::Affine>, Vec<Fr>) {
    let n = 1 << log_n;
    let mut rng = ChaCha20Rng::seed_from_u64(log_n.into());
    let mut point = G::Projective::random(&mut rng);
    let step = G::Projective::random(&mut rng);
    let sums: Vec<G::Projective> = std::iter::repeat_with(|| {
        point += step;
        point
    })
    .take(n)
    .collect();
    let mut points = vec![step.to_affine(); n];
    G::Projective::batch_normalize(&sums, &mut points);
    (points, (0..n).map(|_| Fr::random(&mut rng)).collect())
}

/// What other libraries bring to a contest in one group.
trait Peers: LaneGroup {
    fn blst(points: &[Self::Affine], scalars: &[Fr]) -> Contender<'static>;
    fn ark(points: &[Self::Affine], scalars: &[Fr]) -> Result<Contender<'static>>;
}

macro_rules! peers {
    ($group:ty, $ark:ident, $blst_affine:ty, $blst_affines:ty, $blst_encoder:path) => {
        impl Peers for $group {
            fn blst(points: &[Self::Affine], scalars: &[Fr]) -> Contender<'static> {
                let points: Vec<$blst_affine> = points.iter().map(|p| *p.as_ref()).collect();
                let scalars: Vec<u8> = scalars.iter().flat_map(|s| s.to_le_bytes()).collect();
                Contender::new("blst 0.3 mult", move || {
                    let (sum, cost) = measured(|| points[..].mult(&scalars, 255));
                    let sum = <$blst_affines>::from(&[sum]).as_slice()[0];
                    let encode = move || <$blst_encoder>::from(sum).compress().to_vec();
                    Ok((cost, Box::new(encode)))
                })
            }

            fn ark(points: &[Self::Affine], scalars: &[Fr]) -> Result<Contender<'static>> {
                type Projective = ark_bls12_381::$ark;
                type Affine = <Projective as CurveGroup>::Affine;
                let mut bases = Vec::with_capacity(points.len());
                for point in points {
                    let mut bytes = Vec::new();
                    Self::encode_uncompressed(point, &mut bytes);
                    bases.push(Affine::deserialize_with_mode(
                        &bytes[..],
                        Compress::No,
                        Validate::No,
                    )?);
                }
                let scalars: Vec<ark_bls12_381::Fr> =
                    scalars.iter().map(|&s| Scalar::from_other(s)).collect();
                Ok(Contender::new("ark-ec 0.6 msm", move || {
                    let (sum, cost) = measured(|| Projective::msm_unchecked(&bases, &scalars));
                    let mut bytes = Vec::new();
                    sum.into_affine().serialize_compressed(&mut bytes)?;
                    Ok((cost, Box::new(move || bytes)))
                }))
            }
        }
    };
}

peers!(
    G1,
    G1Projective,
    blst::blst_p1_affine,
    blst::p1_affines,
    blst::min_pk::PublicKey
);
peers!(
    G2,
    G2Projective,
    blst::blst_p2_affine,
    blst::p2_affines,
    blst::min_sig::PublicKey
);

fn own<G: LaneGroup>(
    name: &'static str,
    lanes: Lanes,
    points: &[G::Affine],
    scalars: &[Fr],
) -> Contender<'static> {
    let (points, scalars) = (points.to_vec(), scalars.to_vec());
    Contender::new(name, move || {
        let settings = MsmSettings {
            lanes,
            ..MsmSettings::default()
        };
        let (sum, cost) = measured(|| cuzk_cpu::msm::<G>(&settings, &points, &scalars));
        let mut bytes = Vec::new();
        G::encode_compressed(&sum?.to_affine(), &mut bytes);
        Ok((cost, Box::new(move || bytes)))
    })
}
