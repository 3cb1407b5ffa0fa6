//! An engine as a backend, so that the conformance suites run on it.

use std::collections::HashMap;
use std::sync::Mutex;

use cuzk_backend::{Backend, Ntt, Poly, ShapeError, Transform};
use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_device::{Device, DeviceBuf, Stream};
use cuzk_ntt::{NttDomain, NttEngine, NttError, Scalars};
use ff::Field as _;

pub(crate) const TRANSFORMS: [Transform; 4] = [
    Transform::Forward,
    Transform::Inverse,
    Transform::CosetForward,
    Transform::CosetInverse,
];

/// Values are on one stream, and a domain is prepared when it is first met.
pub(crate) struct DeviceNtt {
    pub(crate) engine: NttEngine,
    pub(crate) stream: Stream,
    domains: Mutex<HashMap<u32, NttDomain>>,
}

impl DeviceNtt {
    pub(crate) fn new(device: &Device) -> Self {
        Self {
            engine: NttEngine::open(device).expect("the kernels load"),
            stream: device.new_stream().expect("a stream"),
            domains: Mutex::default(),
        }
    }

    pub(crate) fn domain(&self, domain: &Domain) -> Result<NttDomain, NttError> {
        let mut domains = self.domains.lock().expect("no test has panicked");
        if let Some(found) = domains.get(&domain.log_n()) {
            return Ok(found.clone());
        }
        let made = self.engine.prepare(&self.stream, domain, &TRANSFORMS)?;
        domains.insert(domain.log_n(), made.clone());
        Ok(made)
    }
}

impl Backend for DeviceNtt {
    type Vector = DeviceBuf<FrLimbs>;
    type Error = NttError;

    fn name(&self) -> &'static str {
        "device"
    }

    fn device(&self) -> String {
        self.engine.device().info().name.clone()
    }

    fn upload(&self, host: &[Fr]) -> Result<Self::Vector, NttError> {
        Ok(self.stream.upload(FrLimbs::view(host))?)
    }

    fn download(&self, vector: &Self::Vector) -> Result<Vec<Fr>, NttError> {
        let limbs = vector.download()?;
        Ok(FrLimbs::scalars(&limbs)
            .expect("results are canonical")
            .to_vec())
    }

    fn len(&self, vector: &Self::Vector) -> usize {
        vector.len()
    }

    fn truncate(&self, vector: Self::Vector, len: usize) -> Result<Self::Vector, NttError> {
        let got = vector.len();
        if len > got {
            let what = "scalars to keep";
            return Err(ShapeError {
                what,
                expected: len,
                got,
            }
            .into());
        }
        let mut kept = self.stream.alloc(len)?;
        let from = vector.as_slice().part(0..len)?;
        kept.as_mut_slice().copy_from_device(&self.stream, from)?;
        Ok(kept)
    }
}

impl Ntt for DeviceNtt {
    fn transform(
        &self,
        transform: Transform,
        domain: &Domain,
        mut vector: Self::Vector,
    ) -> Result<Self::Vector, NttError> {
        self.domain(domain)?.transform(transform, &mut vector)?;
        Ok(vector)
    }

    fn multiply(&self, mut a: Self::Vector, b: &Self::Vector) -> Result<Self::Vector, NttError> {
        self.engine.multiply_scale(&mut a, b, Fr::ONE)?;
        Ok(a)
    }

    fn multiply_subtract_scale(
        &self,
        mut a: Self::Vector,
        b: &Self::Vector,
        c: &Self::Vector,
        factor: Fr,
    ) -> Result<Self::Vector, NttError> {
        self.engine.multiply_subtract_scale(&mut a, b, c, factor)?;
        Ok(a)
    }

    fn quotient(
        &self,
        a: Poly<Self::Vector, cuzk_backend::Evals>,
        b: Poly<Self::Vector, cuzk_backend::Evals>,
        c: Poly<Self::Vector, cuzk_backend::Evals>,
    ) -> Result<Poly<Self::Vector, cuzk_backend::Coeffs>, NttError> {
        let domain = *a.domain();
        let prepared = self.domain(&domain)?;
        let [a, b, c] = [a, b, c].map(|poly| Scalars::natural(poly.into_vector()));
        let h = self.engine.reorder(prepared.quotient(a, b, c)?)?;
        Ok(Poly::new(self, &domain, h.into_values())?)
    }
}
