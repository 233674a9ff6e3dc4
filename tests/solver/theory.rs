//! Tests of `debate_theory`.

mod amplification;
mod evidence;
mod judge_error;
mod papers;
mod promise;
mod provability;
mod query_complexity;
mod search;
mod soundness;
mod stability;
