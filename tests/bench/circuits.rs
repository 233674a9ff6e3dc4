//! Reads a large and-inverter graph, evaluates it, and does both. Reports gates per second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use debate_core::scenario::netlist::read_aiger;

const GATES: u32 = 1 << 20;
const INPUTS: u32 = 64;

/// A binary graph in which gate i reads gate i − 1 and one of the wires shortly before it.
fn graph() -> Vec<u8> {
    let last = 2 * (INPUTS + GATES);
    let mut file = format!("aig {} {INPUTS} 0 1 {GATES}\n{last}\n", INPUTS + GATES).into_bytes();
    for gate in 0..GATES {
        // Differences to the two literals; both are below 128, so each is one byte.
        let first = u8::try_from(1 + gate % 3).unwrap_or(1);
        let second = u8::try_from(2 + gate * 7 % 90).unwrap_or(2);
        file.extend([first, second]);
    }
    file
}

fn circuits(criterion: &mut Criterion) {
    let file = graph();
    let netlist = read_aiger(&file).expect("a graph");
    let input: Vec<bool> = (0..INPUTS).map(|place| place % 3 == 0).collect();
    let mut group = criterion.benchmark_group("a graph of 2^20 gates");
    group.throughput(Throughput::Elements(GATES.into()));
    group.sample_size(20);
    group.bench_function("read", |bencher| bencher.iter(|| read_aiger(&file)));
    group.bench_function("evaluate", |bencher| {
        bencher.iter(|| netlist.evaluate_wires(&input));
    });
    group.bench_function("read and evaluate", |bencher| {
        bencher.iter(|| read_aiger(&file).map(|netlist| netlist.evaluate_wires(&input)));
    });
    group.finish();
}

criterion_group!(benches, circuits);
criterion_main!(benches);
