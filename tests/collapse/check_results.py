"""What runs of the common tools print at their end, behind commands that mostly hide their exit status.

Each stands under a line with how the run ended and its command.
"""

from __future__ import annotations

import re

RESULTS = re.findall(
    r"^\$ (\w+): (.*)\n((?:(?!\$ ).*\n)*)",
    r"""
$ failed: pytest | tail
=== short test summary info ===
FAILED tests/a.py::t - assert 1
=== 1 failed, 3 passed in 0.1s ===
$ passed: pytest | tail
==== 3 passed, 1 warning in 0.1s ====
$ passed: pytest | tail
==== 3 passed, 2 skipped, 1 xfailed in 0.1s ====
$ failed: pytest | tail
==== 3 passed, 1 error in 0.1s ====
$ failed: pytest | tail
==== 1 error in 0.1s ====
$ passed: pytest -q | tail
3 passed in 0.1s
$ unknown: pytest -q | tail
no tests ran in 0.01s
$ passed: python -m unittest | tail
Ran 3 tests in 0.001s

OK
$ passed: python -m unittest | tail
Ran 3 tests in 0.001s

OK (skipped=1)
$ failed: python -m unittest | tail
Ran 3 tests in 0.001s

FAILED (failures=1, errors=2)
$ failed: python -m unittest | tail
Ran 3 tests in 0.001s

FAILED (errors=2)
$ failed: npx jest | tail
Test Suites: 1 failed, 2 passed, 3 total
Tests:       1 failed, 5 passed, 6 total
$ passed: npx jest | tail
Test Suites: 3 passed, 3 total
Tests:       6 passed, 6 total
Snapshots:   0 total
Time:        1.2 s
Ran all test suites.
$ passed: npx vitest run | tail
 Test Files  2 passed (2)
      Tests  5 passed (5)
   Start at  10:00
$ failed: npx vitest run | tail
 Test Files  1 failed | 2 passed (3)
      Tests  1 failed | 5 passed (6)
$ failed: npx mocha | tail
  5 passing (20ms)
  1 failing

  1) foo
$ passed: npx mocha | tail
  5 passing (20ms)
$ passed: npx mocha | tail
  5 passing (20ms)
  1 pending
$ failed: npx playwright test | tail
  1 failed
    [chromium] › a.spec.ts:3:1 › x
  4 passed (5.1s)
$ passed: npx playwright test | tail
  4 passed (5.1s)
$ passed: npx playwright test | tail
  2 flaky
  4 passed (5.1s)
$ failed: node --test | tail
# tests 5
# suites 0
# pass 4
# fail 1
# cancelled 0
$ passed: node --test | tail
ℹ tests 5
ℹ suites 0
ℹ pass 5
ℹ fail 0
ℹ cancelled 0
$ passed: bun test | tail
 5 pass
 0 fail
 10 expect() calls
Ran 5 tests across 1 files. [10ms]
$ failed: bun test | tail
 4 pass
 1 fail
 10 expect() calls
Ran 5 tests across 1 files. [10ms]
$ passed: deno test | tail
ok | 5 passed | 0 failed (10ms)
$ failed: deno test | tail
FAILED | 4 passed | 1 failed (10ms)

error: Test failed
$ passed: cargo test 2>&1 | tail
test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
$ failed: cargo test 2>&1 | tail
test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out

error: test failed, to rerun pass `--lib`
$ passed: cargo nextest run | tail
     Summary [   0.012s] 5 tests run: 5 passed, 0 skipped
$ failed: cargo nextest run | tail
     Summary [   0.012s] 5 tests run: 4 passed, 1 failed, 0 skipped
$ passed: cargo clippy 2>&1 | tail
warning: `x` (bin "x") generated 3 warnings
    Finished dev [unoptimized + debuginfo] target(s) in 0.5s
$ failed: cargo check 2>&1 | tail
error[E0308]: mismatched types
 --> src/main.rs:1:1
error: could not compile `x` (bin "x") due to 1 previous error
$ passed: cargo build 2>&1 | tail
    Finished dev [unoptimized] target(s) in 0.5s
$ failed: cargo build 2>&1 | tail -1
error: could not compile `x` (bin "x") due to 2 previous errors
$ passed: go test ./... | tail
ok      ex/a    0.01s
ok      ex/b    (cached)
$ failed: go test ./... | tail
--- FAIL: TestA (0.00s)
    a_test.go:3: no
FAIL
FAIL    ex/a    0.01s
ok      ex/b    0.01s
FAIL
$ passed: go test ./... | tail
PASS
ok      ex/b    0.01s
$ passed: go test -v . | tail
--- PASS: TestA (0.00s)
PASS
$ failed: go build ./... | head
./a.go:3:5: undefined: x
$ unknown: go vet ./... | head

$ failed: golangci-lint run | tail
a.go:3:5: ineffassign (ineffassign)
1 issues:
* ineffassign: 1
$ passed: golangci-lint run | tail
0 issues.
$ passed: mvn test | tail
[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0
[INFO] BUILD SUCCESS
[INFO] Total time: 1 s
$ failed: mvn test | tail
[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal
$ passed: ./gradlew test | tail
BUILD SUCCESSFUL in 3s
5 actionable tasks: 5 executed
$ failed: ./gradlew test | tail
5 tests completed, 1 failed

FAILURE: Build failed with an exception.

BUILD FAILED in 3s
$ passed: sbt test | tail
[info] Passed: Total 5, Failed 0, Errors 0, Passed 5
[success] Total time: 3 s
$ failed: sbt test | tail
[error] Failed: Total 5, Failed 1, Errors 0, Passed 4
[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful
$ passed: dotnet test | tail
Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 10 ms - x.dll (net8.0)
$ failed: dotnet test | tail
Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 10 ms - x.dll (net8.0)
$ passed: dotnet build | tail
Build succeeded.
    0 Warning(s)
    0 Error(s)

Time Elapsed 00:00:01
$ failed: dotnet build | tail
Build FAILED.

A.cs(1,1): error CS1002: ; expected
    0 Warning(s)
    1 Error(s)
$ passed: swift test | tail
Test Suite 'All tests' passed at 2026
  Executed 5 tests, with 0 failures (0 unexpected) in 0.01 (0.02) seconds
$ failed: swift test | tail
  Executed 5 tests, with 1 failure (0 unexpected) in 0.01 (0.02) seconds
$ passed: swift build | tail
Build complete! (1.2s)
$ passed: xcodebuild test | tail
** TEST SUCCEEDED **
$ failed: xcodebuild test | tail
** TEST FAILED **
$ passed: xcodebuild build | tail
** BUILD SUCCEEDED **
$ passed: rspec | tail
5 examples, 0 failures
$ passed: rspec | tail
5 examples, 0 failures, 1 pending
$ failed: rspec | tail
5 examples, 1 failure

Failed examples:

rspec ./a_spec.rb:3 # x
$ passed: rails test | tail
5 runs, 8 assertions, 0 failures, 0 errors, 0 skips
$ failed: rails test | tail
5 runs, 8 assertions, 1 failures, 0 errors, 0 skips
$ passed: rubocop | tail
5 files inspected, no offenses detected
$ failed: rubocop | tail
5 files inspected, 2 offenses detected, 1 offense autocorrectable
$ passed: phpunit | tail
OK (5 tests, 8 assertions)
$ failed: phpunit | tail
FAILURES!
Tests: 5, Assertions: 8, Failures: 1.
$ failed: phpunit | tail
ERRORS!
Tests: 5, Assertions: 8, Errors: 1.
$ passed: phpstan | tail
 [OK] No errors
$ failed: phpstan | tail
 [ERROR] Found 3 errors
$ passed: php artisan test | tail
  Tests:    5 passed (8 assertions)
  Duration: 0.2s
$ failed: php artisan test | tail
  Tests:    1 failed, 4 passed (8 assertions)
$ passed: mix test | tail
Finished in 0.05 seconds (0.00s async, 0.05s sync)
5 tests, 0 failures
$ failed: mix test | tail
5 tests, 1 failure

Randomized with seed 0
$ passed: mix test | tail
2 doctests, 5 tests, 0 failures, 1 excluded
$ unknown: mix compile | tail
Compiling 3 files (.ex)
Generated app app
$ failed: mix compile | tail
== Compilation error in file lib/a.ex ==
** (SyntaxError) lib/a.ex:3
$ passed: ctest | tail
100% tests passed, 0 tests failed out of 5

Total Test time (real) =   0.05 sec
$ failed: ctest | tail
80% tests passed, 1 tests failed out of 5

The following tests FAILED:
   3 - x (Failed)
$ failed: make | tail
make: *** [Makefile:3: all] Error 2
$ unknown: make -j | tail
[100%] Built target app
$ passed: bazel test //... | tail
Executed 3 out of 3 tests: 3 tests pass.
$ failed: bazel test //... | tail
//a:b FAILED in 0.2s

Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.
$ passed: ruff check . | tail
All checks passed!
$ failed: ruff check . | tail
a.py:1:1: F401 [*] `os` imported but unused
Found 1 error.
[*] 1 fixable with the `--fix` option.
$ passed: ruff check --fix . | tail
Found 3 errors (3 fixed, 0 remaining).
$ passed: ruff format --check . | tail
3 files already formatted
$ failed: ruff format --check . | tail
Would reformat: a.py
1 file would be reformatted, 2 files already formatted
$ passed: black --check . | tail
All done! ✨ 🍰 ✨
3 files would be left unchanged.
$ failed: black --check . | tail
would reformat a.py

Oh no! 💥 💔 💥
1 file would be reformatted.
$ passed: mypy . | tail
Success: no issues found in 3 source files
$ failed: mypy . | tail
a.py:1: error: Incompatible types  [assignment]
Found 1 error in 1 file (checked 3 source files)
$ passed: pyright | tail
0 errors, 0 warnings, 0 informations
$ failed: pyright | tail
2 errors, 0 warnings, 0 informations
$ failed: flake8 | head
a.py:1:1: F401 'os' imported but unused
$ passed: pylint a | tail
Your code has been rated at 10.00/10
$ failed: npx eslint . | tail
✖ 3 problems (1 error, 2 warnings)
$ passed: npx eslint . | tail
✖ 2 problems (0 errors, 2 warnings)
$ passed: npx biome check | tail
Checked 5 files in 10ms. No fixes applied.
$ failed: npx biome check | tail
Checked 5 files in 10ms. No fixes applied.
Found 3 errors.
check ━━━
  × Some errors were emitted while running checks.
$ failed: npx tsc --noEmit | head
a.ts(3,1): error TS2304: no x
$ failed: npx tsc --noEmit | head
src/a.ts:3:1 - error TS2304: no x

Found 1 error in src/a.ts:3
$ passed: npx prettier --check . | tail
Checking formatting...
All matched files use Prettier code style!
$ failed: npx prettier --check . | tail
Checking formatting...
[warn] a.ts
[warn] Code style issues found in the above file.
$ passed: vite build | tail
✓ 34 modules transformed.
✓ built in 1.2s
$ passed: next build | tail
 ✓ Compiled successfully
 ✓ Generating static pages (5/5)
$ failed: next build | tail
Failed to compile.

./a.tsx:3:1
Type error: x
$ failed: npm run build | tail
npm ERR! code ELIFECYCLE
npm ERR! errno 1
$ unknown: shellcheck a.sh | head
In a.sh line 3:
^-- SC2086 (info): Double quote
$ passed: terraform validate | tail
Success! The configuration is valid.
$ passed: flutter analyze | tail
No issues found! (ran in 1.2s)
$ failed: flutter analyze | tail
2 issues found. (ran in 1.2s)
$ passed: flutter test | tail
00:02 +5: All tests passed!
$ failed: flutter test | tail
00:02 +4 -1: Some tests failed.
$ passed: dart test | tail
00:00 +5: All tests passed!
$ passed: npx tsc --noEmit; echo "exit: $?"
exit: 0
$ failed: npx tsc --noEmit; echo "exit: $?"
exit: 2
$ failed: npx tsc --noEmit 2>&1; echo EXIT=$?
a
EXIT=2
$ passed: pytest -q; echo $?
....
0
$ passed: npx tsc | head; echo ${PIPESTATUS[0]}
0
$ failed: npx tsc | head; echo "rc=${PIPESTATUS[0]}"
rc=2
$ unknown: npx tsc | head; echo $?
0
$ passed: npx tsc && echo OK || echo BAD
OK
$ passed: npx tsc && echo OK
OK
$ failed: pytest > out.txt 2>&1; tail -3 out.txt
== 1 failed, 2 passed in 0.1s ==
$ passed: go test ./...
ok      ex/a    0.01s
$ failed: go test ./...
FAIL    ex/a    0.01s
$ passed: npm test
> x@1.0.0 test
> jest

PASS a.test.js
  ✓ handles errors (3 ms)
Tests: 1 passed, 1 total
$ unknown: npx eslint . | tail

$ unknown: pytest | grep failed

$ failed: cargo test 2>&1 | grep 'test result'
test result: ok. 5 passed; 0 failed; 0 ignored
test result: FAILED. 0 passed; 2 failed; 0 ignored
test result: ok. 0 passed; 0 failed
""",
    re.MULTILINE,
)
