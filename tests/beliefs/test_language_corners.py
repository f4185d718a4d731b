"""Corners of five languages: decorators with arguments, interfaces, enums, struct tags, overloads, macros, prototypes."""

# ruff: noqa: E501 - an edit is one row of a table

from __future__ import annotations

import pytest
from bench import Bench

TYPESCRIPT = """
export interface Options {
  timeoutMs: number;
  retries?: number;
}
export enum Level { Low = 1, High = 9 }
export type Id = string;
@Injectable()
export class Client {
  private readonly max = 50;
  static create(o: Options): Client { return new Client(); }
  @Retry({ attempts: 3, delay: 500 })
  async get<T>(path: string, opts: Options = { timeoutMs: 5000 }): Promise<T> {
    if (!path.startsWith("/")) throw new RangeError("bad path");
    const res = await this.http.get(path, { headers: { accept: "application/json" } });
    return res.body as T;
  }
}
export default function main() { return new Client().get("/x"); }
const util = { double(x: number) { return x * 2; } };
"""

JAVASCRIPT = """
const limit = 10;
function Old() { this.x = 1; }
Old.prototype.go = function (n) { return n * limit; };
module.exports = { go: (a) => a + 1, Old };
exports.tax = function (amount) { return amount * 0.2; };
const sum = (xs) => xs.reduce((a, b) => a + b, 0);
"""

GO = """
package a

type Mode int

const (
	Fast Mode = iota
	Slow
)

type Options struct {
	Timeout time.Duration
	Retries int
}

func Defaults() Options {
	return Options{Timeout: 30 * time.Second, Retries: 3}
}

type Runner interface {
	Run(ctx context.Context) error
}

func (o *Options) Validate() error {
	if o.Retries > 10 {
		return errors.New("too many retries")
	}
	return nil
}

func Work(n int) (err error) {
	defer func() { recover() }()
	go func() { spin(n) }()
	select {
	case <-time.After(2 * time.Second):
		return context.DeadlineExceeded
	}
}
"""

RUST = """
pub trait Store { fn put(&self, k: &str) -> Result<(), Error>; fn size(&self) -> usize { 0 } }
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row { #[serde(default)] pub id: u64, pub name: Option<String> }
pub enum Level { Low = 1, High = 9 }
impl Store for Row {
    fn put(&self, k: &str) -> Result<(), Error> {
        let lock = self.mutex.lock().unwrap();
        if k.len() > 64 { return Err(Error::TooLong); }
        self.inner.insert(k)?;
        Ok(())
    }
}
pub const LIMIT: usize = 64;
#[tokio::main]
pub async fn main() { run(Duration::from_millis(1500)).await; }
#[cfg(test)]
mod tests { #[test] fn t() { assert_eq!(1, 1); } }
macro_rules! m { () => {} }
"""

JAVA = """
package a;
public class A<T> implements Runnable {
  public static final int MAX = 3;
  enum Kind { ONE(1), TWO(2); Kind(int n) {} }
  interface Cb { void call(int code); }
  private final Lock lock = new ReentrantLock();
  public A() { this(10); }
  public A(int size) { this.size = size; }
  @GetMapping("/users/{id}") @PreAuthorize("hasRole('ADMIN')")
  public User find(@PathVariable long id) throws NotFoundException { return repo.findById(id).orElseThrow(NotFoundException::new); }
  public void find(String name) { repo.byName(name); }
  @Override public void run() {
    lock.lock();
    try { for (int i = 0; i < MAX; i++) { step(i); } } finally { lock.unlock(); }
  }
  class Inner { int go() { return 7; } }
}
"""

# symbol, statement, old text, new text, the standings that a reader could give
TYPESCRIPT_ROWS = [
    ('Options', 'retries is optional', 'retries?', 'retries', 'contradicted|changed'),
    ('Options', 'timeoutMs is a number', 'timeoutMs: number', 'timeoutMs: string', 'contradicted'),
    ('Options', 'there is a timeoutMs', '  timeoutMs: number;\n', '', 'contradicted'),
    ('Level', 'High is level 9', 'High = 9', 'High = 8', 'contradicted'),
    ('Level', '`Level.High` is for outages', 'High = 9', 'Top = 9', 'contradicted|changed'),
    ('Id', 'ids are strings', 'Id = string', 'Id = number', 'contradicted'),
    ('Client.get', 'get is tried 3 times', 'attempts: 3', 'attempts: 5', 'contradicted'),
    ('Client.get', 'get retries', '  @Retry({ attempts: 3, delay: 500 })\n', '', 'contradicted'),
    ('Client', 'Client is injectable', '@Injectable()\n', '', 'contradicted'),
    ('Client.get', 'waits 5 seconds by default', 'timeoutMs: 5000', 'timeoutMs: 9000', 'contradicted'),
    ('Client.get', 'asks for application/json', 'application/json', 'text/html', 'contradicted'),
    ('Client.create', 'create is static', 'static create', 'create', 'contradicted'),
    ('Client.get', 'get is tried 3 times', 'get<T>', 'fetch<T>', 'carried'),
    ('main', 'main asks for /x', '"/x"', '"/y"', 'contradicted'),
    ('Client', 'at most 50 at once', 'max = 50', 'max = 60', 'contradicted'),
    ('Client.get', 'throws RangeError on a bad path', 'throw new RangeError', 'throw new TypeError', 'contradicted'),
    ('Options', 'retries is optional', '  timeoutMs: number;\n  retries?: number;', '  retries?: number;\n  timeoutMs: number;', 'current|changed'),
]  # fmt: skip

JAVASCRIPT_ROWS = [
    ('tax', 'adds 20 % tax', '0.2;', '0.25;', 'contradicted'),
    ('sum', 'sums numbers', 'const sum = (xs) => xs.reduce((a, b) => a + b, 0);', 'function sum(xs) { return xs.reduce((a, b) => a + b, 0); }', 'current|changed|carried'),
    ('limit', 'the limit is 10', 'limit = 10', 'limit = 11', 'contradicted'),
]  # fmt: skip

GO_ROWS = [
    ('Defaults', 'three retries by default', 'Retries: 3', 'Retries: 5', 'contradicted'),
    ('Defaults', 'three retries by default', '30 * time', '40 * time', 'changed'),
    ('Defaults', 'the timeout is 30 s', '30 * time', '40 * time', 'contradicted'),
    ('Runner', 'Run takes a context', 'Run(ctx context.Context) error', 'Run() error', 'contradicted|changed'),
    ('Options.Validate', 'at most 10 retries', '> 10', '> 20', 'contradicted'),
    ('Options.Validate', 'at most 10 retries', '> 10', '>= 10', 'contradicted'),
    ('Work', 'gives up after 2 seconds', '2 * time', '5 * time', 'contradicted'),
    ('Work', 'panics are recovered', '\tdefer func() { recover() }()\n', '', 'contradicted'),
    ('Work', 'spins in the background', 'go func() { spin(n) }()', 'spin(n)', 'changed|contradicted'),
    ('Work', 'returns context.DeadlineExceeded', 'context.DeadlineExceeded', 'context.Canceled', 'contradicted'),
    ('Slow', 'Slow comes after Fast', '\tFast Mode = iota\n\tSlow', '\tSlow Mode = iota\n\tFast', 'changed|current|contradicted'),
    ('Options.Validate', 'at most 10 retries', 'Options', 'Config', 'carried'),
]  # fmt: skip

RUST_ROWS = [
    ('Row.put', 'keys have at most 64 bytes', '> 64', '> 128', 'contradicted'),
    ('Row.put', 'returns Error::TooLong for long keys', 'Error::TooLong', 'Error::Bad', 'contradicted'),
    ('Row.put', 'takes the mutex', '        let lock = self.mutex.lock().unwrap();\n', '', 'contradicted'),
    ('Row', 'fields are camelCase in JSON', 'camelCase', 'snake_case', 'contradicted'),
    ('Row', 'name is an Option', 'Option<String>', 'String', 'contradicted'),
    ('Row', 'rows derive Serialize', 'Debug, Serialize', 'Debug', 'contradicted'),
    ('main', 'runs on tokio', '#[tokio::main]\n', '', 'contradicted'),
    ('main', 'runs for 1.5 seconds', '1500', '2500', 'contradicted'),
    ('LIMIT', 'the limit is 64', '= 64', '= 65', 'contradicted'),
    ('Row.put', 'keys have at most 64 bytes', 'Row', 'Line', 'carried'),
]  # fmt: skip

JAVA_ROWS = [
    ('A.run', 'runs three steps', 'MAX = 3', 'MAX = 4', 'contradicted'),
    ('A.find', 'only admins may find users', 'ADMIN', 'USER', 'contradicted'),
    ('A.find', "served under '/users/{id}'", '/users/{id}', '/people/{id}', 'contradicted'),
    ('A.find', 'requires authorization', ' @PreAuthorize("hasRole(\'ADMIN\')")', '', 'contradicted|changed'),
    ('A.find', 'throws NotFoundException', 'NotFoundException', 'MissingException', 'contradicted'),
    ('A.find', 'throws NotFoundException', 'repo.byName(name)', 'repo.named(name)', 'current'),
    ('A.run', 'steps run under the lock', '    lock.lock();\n', '', 'contradicted|changed'),
    ('A.Kind', 'TWO is 2', 'TWO(2)', 'TWO(3)', 'contradicted'),
    ('A.Inner.go', 'returns 7', 'return 7', 'return 8', 'contradicted'),
    ('A', 'A is Runnable', ' implements Runnable', '', 'contradicted'),
    ('A', 'the size is 10 by default', 'this(10)', 'this(20)', 'contradicted'),
    ('A', 'A is Runnable', 'A', 'Aa', 'carried|changed|contradicted'),
]  # fmt: skip

ROWS = [
    *(("a.ts", TYPESCRIPT, *row) for row in TYPESCRIPT_ROWS),
    *(("a.js", JAVASCRIPT, *row) for row in JAVASCRIPT_ROWS),
    *(("a.go", GO, *row) for row in GO_ROWS),
    *(("a.rs", RUST, *row) for row in RUST_ROWS),
    *(("a/A.java", JAVA, *row) for row in JAVA_ROWS),
]


@pytest.mark.parametrize(
    ("path", "source", "symbol", "text", "old", "new", "standings"),
    [pytest.param(*row, id=f"{row[0]}#{row[2]} / {row[3]}") for row in ROWS],
)
def test_an_edit_in_a_corner_of_a_language_is_judged_as_a_reader_would(
    bench: Bench, path: str, source: str, symbol: str, text: str, old: str, new: str, standings: str
) -> None:
    bench.write(path, source)
    belief = bench.remember(text, f"{path}#{symbol}")
    bench.replace(path, old, new)
    assert bench.standing(belief) in standings.split("|"), bench.told(belief)
