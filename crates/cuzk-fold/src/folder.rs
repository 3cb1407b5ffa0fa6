use cuzk_backend::{InverseTransform, ShapeError};
use cuzk_curve::{Domain, Fr, FrLimbs, G1, G1Affine, G1Limbs, SourceGroup};
use cuzk_device::{Device, DeviceBuf, DeviceError, Kernel, Stream};
use cuzk_r1cs::CsrMatrix;

use crate::FoldError;
use crate::lists::Lists;
use crate::params::{ConvertParams, LoadParams, NARROW_BATCH, StageParams, SumParams, Xyzz};
use crate::twiddles::twiddles;

/// The kernels that fold maps into points, on one device.
///
/// Points come from the host and go back there; every call waits for the device.
#[derive(Debug)]
pub struct Folder {
    load: Kernel<LoadParams>,
    stage: Kernel<StageParams>,
    sum: Kernel<SumParams>,
    widen: Kernel<ConvertParams>,
    narrow: Kernel<ConvertParams>,
}

impl Folder {
    /// The file of the kernels.
    pub const MODULE: &'static str = "fold_g1";

    /// Loads the kernels.
    ///
    /// # Errors
    /// [`DeviceError`] where the driver refuses them.
    pub fn open(device: &Device) -> Result<Self, FoldError> {
        let source = cuzk_kernels::module(Self::MODULE).expect("the kernels are compiled in");
        let module = device.load(source)?;
        Ok(Self {
            load: module.kernel("cuzk_fold_load_g1")?,
            stage: module.kernel("cuzk_fold_stage_g1")?,
            sum: module.kernel("cuzk_fold_sum_g1")?,
            widen: module.kernel("cuzk_fold_widen_g1")?,
            narrow: module.kernel("cuzk_fold_narrow_g1")?,
        })
    }

    /// `factor/n · Σ_i g^(−i)·ω^(−ik)·points[i]` for every k; about `n/2·log₂ n` multiples.
    ///
    /// # Shapes
    /// At most n points of the subgroup, the identity in place of those that are missing; n
    /// points come back.
    ///
    /// # Errors
    /// [`ShapeError`] for more points; where memory lacks, or the first call that failed.
    #[tracing::instrument(level = "debug", skip_all, fields(n = domain.n()))]
    pub fn fold_inverse(
        &self,
        stream: &Stream,
        inverse: InverseTransform,
        domain: &Domain,
        factor: Fr,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, FoldError> {
        InverseTransform::check_points(domain, points.len())?;
        let mut values = self.load(stream, domain, factor * domain.n_inv(), points)?;
        let twiddles = stream.upload(&twiddles(domain, inverse))?;
        let address = values.as_mut_slice().address();
        let blocks = self.stage.blocks_for((domain.n() / 2).max(1))?;
        for log_m in 0..domain.log_n() {
            let params = StageParams {
                points: address,
                twiddles: twiddles.as_slice().address(),
                log_n: domain.log_n().into(),
                log_m: log_m.into(),
            };
            // SAFETY: there are 2^log_n points and as many twiddles, and all of them belong to
            // the stream.
            unsafe { self.stage.launch(stream, blocks, &params) }?;
        }
        drop(twiddles);
        self.affine(stream, &values)
    }

    /// Scaled points in reversed order.
    fn load(
        &self,
        stream: &Stream,
        domain: &Domain,
        factor: Fr,
        points: &[G1Affine],
    ) -> Result<DeviceBuf<Xyzz>, FoldError> {
        let input = stream.upload(G1::as_limbs(points))?;
        let mut values = stream.alloc(domain.n())?;
        let params = LoadParams {
            input: input.as_slice().address(),
            out: values.as_mut_slice().address(),
            n: points.len() as u64,
            log_n: domain.log_n().into(),
            factor: factor.into(),
        };
        let blocks = self.load.blocks_for(domain.n())?;
        // SAFETY: n points are read and 2^log_n written, all of them of the stream.
        unsafe { self.load.launch(stream, blocks, &params) }?;
        Ok(values)
    }

    /// `Σ_i matrix[i][j]·points[i]` for every column j.
    ///
    /// # Shapes
    /// At least as many points of the subgroup as the matrix has rows.
    ///
    /// # Errors
    /// [`ShapeError`] for fewer points; where memory lacks, or the first call that failed.
    #[tracing::instrument(level = "debug", skip_all, fields(terms = matrix.terms()))]
    pub fn fold_matrix(
        &self,
        stream: &Stream,
        matrix: &CsrMatrix,
        points: &[G1Affine],
    ) -> Result<Vec<G1Affine>, FoldError> {
        let used = points.get(..matrix.rows()).ok_or(ShapeError {
            what: "points for the rows, at least",
            expected: matrix.rows(),
            got: points.len(),
        })?;
        let columns = matrix.transposed();
        if columns.rows() == 0 {
            return Ok(Vec::new());
        }
        let points = self.widened(stream, used)?;
        let indices = stream.upload(columns.term_columns())?;
        let coefficients = stream.upload(columns.coefficients())?;
        let dictionary = stream.upload(FrLimbs::view(columns.dictionary()))?;
        let params = SumParams {
            points: points.as_slice().address(),
            indices: indices.as_slice().address(),
            coefficients: coefficients.as_slice().address(),
            dictionary: dictionary.as_slice().address(),
            ends: 0,
            out: 0,
            lists: 0,
        };
        let mut lists = Lists::of(columns.row_ends());
        let mut sums = self.sum(stream, &lists, params)?;
        while !lists.is_last() {
            lists = Lists::of(&lists.row_ends);
            let params = SumParams {
                points: sums.as_slice().address(),
                indices: 0,
                coefficients: 0,
                ..params
            };
            sums = self.sum(stream, &lists, params)?;
        }
        self.affine(stream, &sums)
    }

    /// The sum of each list; the parameters say of what.
    fn sum(
        &self,
        stream: &Stream,
        lists: &Lists,
        of: SumParams,
    ) -> Result<DeviceBuf<Xyzz>, DeviceError> {
        let ends = stream.upload(&lists.ends)?;
        let mut out = stream.alloc(lists.ends.len())?;
        let params = SumParams {
            ends: ends.as_slice().address(),
            out: out.as_mut_slice().address(),
            lists: lists.ends.len() as u64,
            ..of
        };
        let blocks = self.sum.blocks_for(lists.ends.len())?;
        // SAFETY: the lists end within the terms, whose indices are of points and coefficients
        // that are there, or which are points themselves; all of them belong to the stream.
        unsafe { self.sum.launch(stream, blocks, &params) }?;
        Ok(out)
    }

    fn widened(
        &self,
        stream: &Stream,
        points: &[G1Affine],
    ) -> Result<DeviceBuf<Xyzz>, DeviceError> {
        let input = stream.upload(G1::as_limbs(points))?;
        let mut out = stream.alloc(points.len())?;
        if points.is_empty() {
            return Ok(out);
        }
        let params = ConvertParams {
            input: input.as_slice().address(),
            out: out.as_mut_slice().address(),
            n: points.len() as u64,
        };
        let blocks = self.widen.blocks_for(points.len())?;
        // SAFETY: as many points are read as written, all of them of the stream.
        unsafe { self.widen.launch(stream, blocks, &params) }?;
        Ok(out)
    }

    /// The points in affine coordinates, on the host; there is at least one.
    fn affine(
        &self,
        stream: &Stream,
        points: &DeviceBuf<Xyzz>,
    ) -> Result<Vec<G1Affine>, FoldError> {
        let mut out = stream.alloc::<G1Limbs>(points.len())?;
        let params = ConvertParams {
            input: points.as_slice().address(),
            out: out.as_mut_slice().address(),
            n: points.len() as u64,
        };
        let threads = points.len().div_ceil(NARROW_BATCH);
        let blocks = self.narrow.blocks_for(threads)?;
        // SAFETY: as many points are read as written, all of them of the stream.
        unsafe { self.narrow.launch(stream, blocks, &params) }?;
        Ok(G1::from_limbs(&out.download()?)?.to_vec())
    }
}
