use anyhow::Result;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use blstrs::Scalar as Fr;
use clap::Args;
use cuzk_backend::{Ntt as _, Transform};
use cuzk_cpu::Cpu;
use cuzk_curve::Domain;
use cuzk_lanes::Lanes;
use cuzk_measure::measured;
use ff::Field;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use crate::{
    contest::{Common, Contender, Encode, Row},
    scalar::Scalar,
};

/// Number-theoretic transforms in natural order: arkworks and cuzk.
#[derive(Debug, Clone, Args)]
pub(crate) struct NttContest {
    /// Logarithms of the sizes.
    #[arg(long, value_delimiter = ',', default_values_t = [16, 18, 20, 22])]
    log_n: Vec<u32>,
    #[command(flatten)]
    common: Common,
}

impl NttContest {
    pub(crate) fn run(&self) -> Result<()> {
        let provenance = self.common.begin()?;
        let mut rows = Vec::new();
        for &log_n in &self.log_n {
            for transform in [Transform::Forward, Transform::CosetInverse] {
                rows.extend(self.size(log_n, transform)?);
            }
        }
        self.common.end(provenance, "ntt", &rows)
    }

    fn size(&self, log_n: u32, transform: Transform) -> Result<Vec<Row>> {
        let n = 1usize << log_n;
        let mut rng = ChaCha20Rng::seed_from_u64(log_n.into());
        let values: Vec<Fr> = (0..n).map(|_| Fr::random(&mut rng)).collect();
        let ark_values: Vec<_> = values
            .iter()
            .map(|&value| ark_bls12_381::Fr::from_other(value))
            .collect();
        let plain = Radix2EvaluationDomain::<ark_bls12_381::Fr>::new(n)
            .ok_or_else(|| anyhow::anyhow!("no domain of 2^{log_n}"))?;
        let coset = plain
            .get_coset(<ark_bls12_381::Fr as ark_ff::FftField>::GENERATOR)
            .ok_or_else(|| anyhow::anyhow!("no coset of 2^{log_n}"))?;
        let ark = Contender::new("ark-poly 0.6", || {
            let mut values = ark_values.clone();
            let ((), cost) = measured(|| match transform {
                Transform::Forward => plain.fft_in_place(&mut values),
                Transform::Inverse => plain.ifft_in_place(&mut values),
                Transform::CosetForward => coset.fft_in_place(&mut values),
                Transform::CosetInverse => coset.ifft_in_place(&mut values),
            });
            Ok((cost, encode(values)))
        });
        let domain = Domain::for_len(n)?;
        let own = |name, lanes| {
            let (cpu, domain, values) = (Cpu::new(lanes), &domain, &values);
            Contender::new(name, move || {
                let values = values.clone();
                let (values, cost) = measured(|| cpu.transform(transform, domain, values));
                Ok((cost, encode(values?)))
            })
        };
        let contenders = vec![
            ark,
            own("cuzk, portable", Lanes::Portable),
            own("cuzk", Lanes::Detect),
        ];
        let what = format!("{transform:?} 2^{log_n}");
        self.common.contest(&what, true, contenders)
    }
}

fn encode<S: Scalar>(values: Vec<S>) -> Encode {
    Box::new(move || values.into_iter().flat_map(S::to_le_bytes).collect())
}
