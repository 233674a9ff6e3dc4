//! Tests of `debate_theory`.

mod amplification;
mod evidence;
mod growth;
mod in_practice;
mod judge_error;
mod least_queries;
mod papers;
mod promise;
mod provability;
mod query_complexity;
mod search;
mod soundness;
mod stability;
