use std::sync::Arc;

use cuzk_backend::{Ones, QueryName, ShapeError, WitnessSchedule, WitnessSplit};
use cuzk_curve::FrLimbs;
use cuzk_device::{DeviceBuf, Stream};
use cuzk_msm::{DeviceSelection, DeviceSplit, SplitCounts};
use cuzk_r1cs::Bitmap;
use cuzk_spmv::DeviceWitness;

use crate::beside::Beside;
use crate::plan::PART;
use crate::{Cuda, CudaError, CudaWitness};

/// Which variables a query holds, on the device.
#[derive(Debug)]
pub struct CudaSelection {
    selected: Arc<Selected>,
}

#[derive(Debug)]
struct Selected {
    selection: DeviceSelection,
    /// A class bit for every variable, set: as if no value were zero or one.
    all: DeviceBuf<u64>,
}

/// The selected variables of a witness.
#[derive(Debug)]
pub struct CudaSplit {
    /// The first field: joined before what the sums read goes back.
    beside: Option<Beside>,
    witness: Arc<DeviceWitness>,
    selected: Arc<Selected>,
    /// Nothing where too many are neither zero nor one, or witnesses are not to be split: sums are
    /// over the whole query then.
    parts: Option<Parts>,
}

/// Lists of ones and of the rest, and the values of the rest.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) lists: DeviceSplit,
    pub(crate) rest_values: DeviceBuf<FrLimbs>,
}

impl WitnessSplit for Cuda {
    type Selection = CudaSelection;
    type Split = CudaSplit;

    fn prepare_selection(&self, selection: &Bitmap) -> Result<CudaSelection, CudaError> {
        let all = vec![u64::MAX; selection.words().len()];
        let selected = Selected {
            selection: DeviceSelection::upload(&self.stream, selection)?,
            all: self.stream.upload(&all)?,
        };
        Ok(CudaSelection {
            selected: Arc::new(selected),
        })
    }

    fn split(
        &self,
        witness: &CudaWitness,
        selection: &CudaSelection,
    ) -> Result<CudaSplit, CudaError> {
        let (selected, packed) = (&selection.selected, &witness.packed);
        let selection = &selected.selection;
        self.check_own("witnesses", packed.stream())?;
        self.check_own("selections", selection.stream())?;
        let what = "bits of the selection for the witness";
        ShapeError::check(what, packed.len(), selection.bitmap().len())?;
        let counts = SplitCounts::of(&witness.low, &witness.high, selection.bitmap());
        let few =
            self.options.ones == Ones::Trees && counts.rest.saturating_mul(PART) <= selection.len();
        let parts = few.then(|| self.parts(packed, selection, counts));
        let parts = parts.transpose()?;
        let beside = match (&parts, self.options.schedule) {
            (None, _) | (_, WitnessSchedule::InTurn) => None,
            (Some(_), _) => Some(self.sides.fork(&self.stream)?),
        };
        Ok(CudaSplit {
            beside,
            witness: Arc::clone(packed),
            selected: Arc::clone(selected),
            parts,
        })
    }
}

impl Cuda {
    fn parts(
        &self,
        packed: &DeviceWitness,
        selection: &DeviceSelection,
        counts: SplitCounts,
    ) -> Result<Parts, CudaError> {
        let (low, high) = (packed.low(), packed.high());
        let lists = self
            .splitter
            .split(&self.stream, low, high, selection, counts)?;
        let values = self.spmv.expand(packed, &self.stream)?;
        let rest_values = self
            .splitter
            .rest_values(&self.stream, values.as_slice(), &lists)?;
        Ok(Parts { lists, rest_values })
    }

    /// The value of every selected variable, one after the other.
    pub(crate) fn selected_values(
        &self,
        split: &CudaSplit,
    ) -> Result<DeviceBuf<FrLimbs>, CudaError> {
        let (packed, Selected { selection, all }) = (&split.witness, &*split.selected);
        let counts = SplitCounts {
            ones: 0,
            rest: selection.len(),
        };
        let classes = all.as_slice();
        let lists = self
            .splitter
            .split(&self.stream, classes, classes, selection, counts)?;
        let values = self.spmv.expand(packed, &self.stream)?;
        Ok(self
            .splitter
            .rest_values(&self.stream, values.as_slice(), &lists)?)
    }
}

impl CudaSplit {
    pub(crate) fn selected(&self) -> usize {
        self.selected.selection.len()
    }

    pub(crate) fn stream(&self) -> &Stream {
        self.selected.selection.stream()
    }

    /// Where the sums of its parts over a query may go, if they may go beside the others.
    pub(crate) fn side(&self, query: QueryName) -> Option<&Stream> {
        self.beside.as_ref()?.stream(query)
    }

    pub(crate) fn parts(&self) -> Option<&Parts> {
        self.parts.as_ref()
    }
}
