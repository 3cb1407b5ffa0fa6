use crate::{
    args::{Common, Setup},
    failure::Failure,
    output::Output,
};
pub(crate) fn run(_: &Setup, _: &Common, _: &mut Output) -> Result<(), Failure> {
    Err(Failure::bad_input("not yet"))
}
