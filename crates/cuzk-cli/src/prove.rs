use crate::{
    args::{Common, Prove},
    failure::Failure,
    output::Output,
};
pub(crate) fn run(_: &Prove, _: &Common, _: &mut Output) -> Result<(), Failure> {
    Err(Failure::bad_input("not yet"))
}
