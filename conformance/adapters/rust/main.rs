//! Adapter for rusty-leveldb, which reads databases, and sstable, which reads tables of plain keys.
//!
//! Usage: adapter rusty-leveldb|sstable OPERATION PATH COMPARATOR
use std::io::BufRead;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{:02x}", b)).collect()
}

fn keys() -> Vec<Vec<u8>> {
    let lines = std::io::stdin().lock().lines();
    lines
        .map(|line| {
            let line = line.unwrap();
            (0..line.len() / 2).map(|i| u8::from_str_radix(&line[2 * i..2 * i + 2], 16).unwrap()).collect()
        })
        .collect()
}

fn answer(key: &[u8], value: Option<Vec<u8>>) {
    match value {
        Some(value) => println!("{{\"key\":\"{}\",\"value\":\"{}\"}}", hex(key), hex(&value)),
        None => println!("{{\"key\":\"{}\",\"value\":null}}", hex(key)),
    }
}

/// Returns the processor time of this process in seconds. Reads /proc, since the standard library has no such clock.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = text.rsplit(')').next().unwrap().split_whitespace().skip(11);
    fields.take(2).map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}

fn database(operation: &str, path: &str) -> Result<(), String> {
    use rusty_leveldb::{LdbIterator, Options, DB};
    let options = Options { create_if_missing: false, paranoid_checks: true, ..Default::default() };
    let mut db = DB::open(path, options).map_err(|e| e.to_string())?;
    if operation == "get-database" {
        for key in keys() {
            let value = db.get(&key).map(|v| v.to_vec());
            answer(&key, value);
        }
        return Ok(());
    }
    let mut it = db.new_iter().map_err(|e| e.to_string())?;
    if operation == "time-database" {
        let (list, start) = (keys(), processor_time());
        let (mut entries, mut bytes) = (0, 0);
        while let Some((key, value)) = it.next() {
            entries += 1;
            bytes += key.len() + value.len();
        }
        let done = processor_time();
        let found = list.iter().filter(|key| db.get(key).is_some()).count();
        println!(
            "{{\"entries\":{},\"bytes\":{},\"read\":{},\"found\":{},\"gets\":{}}}",
            entries,
            bytes,
            done - start,
            found,
            processor_time() - done
        );
        return Ok(());
    }
    while let Some((key, value)) = it.next() {
        println!("{{\"key\":\"{}\",\"value\":\"{}\"}}", hex(&key), hex(&value));
    }
    Ok(())
}

fn table(operation: &str, path: &str) -> Result<(), String> {
    use sstable::{Options, SSIterator, Table};
    let table = Table::new_from_file(Options::default(), std::path::Path::new(path)).map_err(|e| e.to_string())?;
    if operation == "get-plain" {
        for key in keys() {
            let value = table.get(&key).map_err(|e| e.to_string())?.map(|v| v.to_vec());
            answer(&key, value);
        }
        return Ok(());
    }
    let mut it = table.iter();
    while let Some((key, value)) = it.next() {
        println!("{{\"key\":\"{}\",\"value\":\"{}\"}}", hex(&key), hex(&value));
    }
    Ok(())
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (which, operation) = (args[1].as_str(), args[2].as_str());
    if !args[4].starts_with("leveldb.") {
        std::process::exit(3);
    }
    let done = match (which, operation) {
        ("rusty-leveldb", "scan-database" | "get-database" | "time-database") => database(operation, &args[3]),
        ("sstable", "scan-plain") | ("sstable", "get-plain") => table(operation, &args[3]),
        _ => std::process::exit(3),
    };
    if let Err(error) = done {
        eprintln!("{}", error);
        std::process::exit(1);
    }
}
