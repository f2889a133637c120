"""Command lines as agents type them: those that check the work, and those that only look like it; one a line."""

CHECKING = r"""
pytest
pytest -x tests/test_a.py::test_b -k "foo and not bar"
python -m pytest -q
python3 -m pytest tests/ 2>&1 | tail -20
./venv/bin/python -m pytest
.venv/Scripts/python.exe -m pytest
.\venv\Scripts\python.exe -m pytest tests
.\.venv\Scripts\pytest.exe -q
PYTHONPATH=. pytest
PYTHONPATH=src python -m unittest discover -s tests
python -W error -m pytest
python -X dev -m pytest
python -Werror -m unittest
python -bb -m pytest
python -m coverage run -m pytest
python -m coverage run --branch -m pytest tests
coverage run -m pytest && coverage report
tox
tox run -e py311
nox -s tests
uv run pytest -q
uv run --extra dev pytest
uv run --python 3.12 -m pytest
uv run --python 3.12 python -m pytest
uv run python -m pytest
uv run -- pytest
uv run ruff check .
uvx ruff check
uvx --from ruff ruff check
uvx pyright
uv tool run ruff check
poetry run pytest
poetry run python -m pytest
pipenv run pytest
pdm run pytest
pdm test
hatch test
hatch run test
hatch run test:cov
hatch run lint:all
rye test
rye run pytest
pixi run test
conda run -n env pytest
conda run -n env python -m pytest
micromamba run -n x pytest
ruff check .
ruff format --check
python -m ruff check src
mypy src --strict
python -m mypy .
dmypy run -- src
pyright
npx pyright
basedpyright
ty check
black --check .
flake8
pylint src
pre-commit run --all-files
python manage.py test
python setup.py test
python -m build
python -m compileall -q src
python -m doctest README.md
npm test
npm t
npm run test
npm run test:unit -- --watch=false
npm run lint
npm run build
npm run typecheck
npm run type-check
npm run tsc
npm run check-types
npm run ci:test
npm run -s test
npm run --silent lint
npm test --silent -- foo
npm --prefix frontend run build
npm -w packages/a test
npm run test --workspace=a
npm run test -w a
pnpm test
pnpm -r test
pnpm run lint
pnpm --filter web test
pnpm --filter @scope/web run build
pnpm -C web typecheck
pnpm exec tsc --noEmit
pnpm dlx vitest run
pnpm vitest run
pnpm tsc
pnpm jest
yarn test
yarn run lint
yarn workspace web test
yarn workspaces foreach -A run test
yarn jest src
yarn tsc --noEmit
yarn eslint .
yarn --cwd web build
bun test
bun run test
bun run lint
bunx tsc --noEmit
bunx vitest run
bun x eslint .
npx jest
npx jest --coverage path
npx --yes jest
npx -y vitest run
npx vitest
npx playwright test
npx playwright test --project=chromium
npx tsc --noEmit
npx tsc -p tsconfig.json --noEmit
npx -p typescript tsc --noEmit
npx --package=typescript tsc
npx -w packages/a vitest run
tsc -b
node_modules/.bin/tsc --noEmit
./node_modules/.bin/jest
node node_modules/.bin/jest
node node_modules/jest/bin/jest.js
node node_modules/typescript/bin/tsc
node_modules/.bin/eslint src
npx eslint . --fix
eslint src
npx biome check
npx @biomejs/biome check .
biome ci .
pnpm biome check
npx prettier --check "src/**/*.ts"
npx cypress run
npx mocha test
npx nx run-many -t test
npx nx run-many --target=test
npx nx run app:test
npx nx test app
npx turbo run test
turbo run build test lint
turbo test
npx lerna run test
node --test test/
node --test
node --check app.js
node --import tsx --test src/a.test.ts
tsx --test src/a.test.ts
deno test -A
deno lint
deno check main.ts
vite build
next build
cargo test
cargo test --workspace --all-features
cargo t
cargo check
cargo c
cargo clippy --all-targets -- -D warnings
cargo +nightly test
cargo +nightly clippy
cargo nextest run
cargo build --release
cargo b
cargo fmt --check
cargo fmt --all -- --check
cargo test -p foo bar::baz -- --nocapture
cargo llvm-cov
cargo hack check
RUST_BACKTRACE=1 cargo test
cargo --locked test
cargo -q test
go test ./...
go test -race -run TestX ./pkg/...
go vet ./...
go build ./...
go test ./... 2>&1 | grep -v "no test files"
go -C sub test ./...
golangci-lint run ./...
staticcheck ./...
gotestsum -- ./...
gofmt -l .
mvn test
mvn -q -DskipTests package
mvn clean install
mvn clean verify -B
mvn -pl core -am test
mvn -f sub/pom.xml test
./mvnw test
./mvnw clean package
gradle test
./gradlew test
./gradlew :app:testDebugUnitTest
./gradlew clean build
./gradlew assembleDebug
./gradlew check --info
./gradlew :core:test --tests "Foo"
./gradlew lintDebug
./gradlew connectedAndroidTest
gradlew.bat test
sbt test
sbt "testOnly *Foo"
sbt clean compile
sbt "project core" test
dotnet test
dotnet test --filter Foo
dotnet build -c Release
dotnet format --verify-no-changes
swift test
swift test --filter Foo
swift build
xcodebuild test -scheme App -destination 'platform=iOS Simulator,name=iPhone 15'
xcodebuild -scheme App build
xcodebuild test | xcpretty
set -o pipefail && xcodebuild test | xcbeautify
bundle exec rspec
rspec spec/models
bin/rspec
bundle exec rake
rake test
bundle exec rake test
rake spec:models
rake test:units
bin/rails test
rails test test/models
rails test:system
bundle exec rubocop
ruby -Itest test/foo_test.rb
ruby -c app.rb
vendor/bin/phpunit
./vendor/bin/phpunit --filter Foo
phpunit
php vendor/bin/phpunit
vendor/bin/pest
vendor/bin/phpstan analyse
composer test
composer run test
composer run-script test
php artisan test
php -l foo.php
mix test
mix test test/foo_test.exs:12
MIX_ENV=test mix test
mix compile --warnings-as-errors
mix credo
mix dialyzer
make test
make check
make -j8
make -j 8 test
make -C build test
make -C build
make lint test
make test-unit
make unit-test
make build
gmake test
cmake --build build --target test
cmake --build build
ctest --test-dir build
cd build && ctest --output-on-failure
ninja -C build
ninja -C build test
meson test -C build
bazel test //...
bazel build //foo:bar
bazel --output_base=/tmp/x test //x
bazelisk test //x
just test
just lint
just test-unit
just ci
task test
docker compose run --rm web pytest
docker compose run web npm test
docker compose -f dc.yml run --rm web npm test
docker-compose run --rm app bundle exec rspec
docker compose exec -T app php artisan test
docker exec -it app pytest
docker exec app bash -c "cd /app && pytest"
docker run --rm -v $PWD:/app -w /app node:20 npm test
docker run --rm img pytest -q
podman run --rm img pytest
kubectl exec pod -- pytest
cd x && pytest
cd backend && source .venv/bin/activate && pytest -q
source venv/bin/activate && python -m pytest
. venv/bin/activate; pytest
(cd web && npm test)
pushd web && npm test && popd
CI=true npm test
FOO=1 BAR="a b" pytest
env FOO=1 BAR=2 pytest
timeout 60 pytest
timeout 120s npm test
timeout -k 5 60 pytest
timeout --signal=KILL 60 pytest
gtimeout 60 pytest
time pytest
time make test
/usr/bin/time -v pytest
nice -n 10 make test
nohup pytest &
sudo -E make test
sudo -u app pytest
xvfb-run -a npm test
pytest | tail -5
pytest 2>&1 | tee out.txt
pytest > out.txt 2>&1; tail out.txt
pytest -q 2>&1 | grep -E "passed|failed"
pytest || true
npm test || echo failed
bash -lc "pytest -q"
bash -c 'cd x && npm test'
sh -c "make test"
zsh -lc "cargo test"
if pytest; then echo ok; fi
for i in 1 2 3; do pytest; done
for d in a b; do (cd $d && go test ./...); done
while ! pytest; do sleep 1; done
! grep -q foo && pytest
pytest &> out.txt
echo "running" && pytest
out=$(pytest -q 2>&1); echo "$out" | tail
result=`npm test`
powershell -Command "npm test"
pwsh -c "dotnet test"
powershell.exe -NoProfile -Command "Set-Location x; npm test"
cmd /c "npm test"
cmd.exe /c npm test
cd C:\proj; npm test
Set-Location C:\proj; dotnet test
& .\venv\Scripts\python.exe -m pytest
npm.cmd test
git diff --name-only | xargs npx eslint
find . -name '*.py' | xargs pylint
find . -name '*.sh' -exec shellcheck {} +
git bisect run pytest
direnv exec . pytest
nix-shell --run "pytest"
nix develop --command pytest
nix develop -c pytest
nix flake check
mise run test
mise x -- pytest
asdf exec pytest
rbenv exec rspec
op run -- npm test
npx dotenv -e .env.test -- jest
npx cross-env CI=1 jest
cross-env NODE_ENV=test jest
npx c8 npm test
npx nyc mocha
c8 node --test
npx tsx --test a.test.ts
node scripts/test.js
node test.js
python tests/test_foo.py
python test.py
python run_tests.py
python -m tests.test_foo
./run_tests.sh
./scripts/test
scripts/test.sh
bash scripts/run-tests.sh
bash -x scripts/run-tests.sh
./test.sh
python -m py_compile a.py
bash -n script.sh
sh -n script.sh
terraform plan
tflint
hadolint Dockerfile
actionlint
helm lint
g++ -o a a.cpp && ./a
gcc -Wall a.c
clang-tidy a.cpp
javac Foo.java
rustc main.rs
lein test
clj -M:test
clojure -M:test
stack test
cabal test
zig build test
zig build
gleam test
dart test
dart analyze
flutter test
dune test
R CMD check .
julia test/runtests.jl
perl -c foo.pl
prove -l t
busted
forge test -vvv
npx hardhat test
"""
# Those of several lines.
SCRIPTS = (
    "cat > x.py <<'EOF'\nx = 1\nEOF\npytest x.py",
    "set -e\nnpm run lint\nnpm test",
    "pytest \\\n  -q \\\n  tests",
    "# the tests\npytest -q",
    "docker compose exec web bash -lc '\ncd /app\npytest\n'",
)
OTHERS = r"""
grep pytest
grep -rn "npm test" .
rg "cargo test"
cat test.py
cat tests/test_a.py
vim test.py
pip install pytest
pip install -U pytest ruff mypy
uv add --dev pytest
uv pip install pytest
uv sync
poetry add pytest
poetry install
npm install jest
npm i -D vitest
npm install --save-dev eslint
npm ci
npm run dev
npm start
npm ls jest
npm view jest
npm uninstall jest
npm run clean
npm run start:test
npm init jest
npm create vite
yarn add jest
yarn install
yarn
yarn why jest
pnpm add -D vitest
pnpm install
pnpm i
pnpm dev
bun add jest
bun install
bun run dev
cargo add test
cargo run
cargo install cargo-nextest
cargo new test
cargo fmt
cargo update
go get ./...
go mod tidy
go run ./cmd/test
go install ./...
apt-get install make
brew install gcc
apt install -y gcc g++ make cmake ninja-build
conda install pytest
echo "npm test"
echo "run pytest"
printf 'pytest\n'
git commit -m "cargo test"
git commit -m "fix; npm test && done"
git commit -am 'run pytest; make test'
git checkout -b test
git log --grep="pytest"
git add test.py
git diff test
git show HEAD:test.py
git grep pytest
git push origin test
ls test
ls tests/
find . -name "test_*.py"
mkdir tests
rm -rf test
cp test.py a.py
mv test.py x.py
touch test.sh
chmod +x run_tests.sh
which pytest
which gcc make
command -v pytest
command -V pytest
type pytest
man make
whereis gcc
pytest --version
pytest --help
pytest --collect-only
pytest --co -q
tsc --version
tsc -v
npx tsc -v
npm -v
node -v
go version
cargo --version
gcc --version
gcc -dumpversion
make --version
make clean
make install
make help
make run
mvn -v
mvn clean
mvn dependency:tree
mvn archetype:generate
gradle --version
./gradlew clean
./gradlew tasks
./gradlew bootRun
./gradlew dependencies
dotnet run
dotnet restore
dotnet new xunit
dotnet add package xunit
swift run
swift package init
rake -T
rake db:migrate
rake db:test:prepare
bundle install
bundle add rspec
gem install rspec
composer install
composer require --dev phpunit/phpunit
mix deps.get
mix format
mix phx.server
mix ecto.create
just --list
just
just run
task --list
docker build -t test .
docker run test
docker compose up -d test
docker compose build test
docker ps
docker pull pytest
docker logs test
kubectl get pods -n test
cd test
cd tests && ls
test -f package.json
[ -f test.py ] && echo yes
test -d build
python app.py test
python -c "print('pytest')"
python -c 'import pytest; print(pytest.__version__)'
node -e "console.log('jest')"
node server.js
python -m http.server
python -m venv .venv
python -m pip install pytest
python -m pip install -e ".[test]"
ruff format .
ruff --version
ruff rule E501
black .
isort .
prettier --write .
npx prettier --write src/a.test.ts
npx create-next-app test
npx playwright install
npx playwright show-report
npx cypress open
eslint --init
npx eslint --version
npx tsc --init
gh pr checks
gh run view --log
gh workflow run test.yml
gh pr create --title "npm test" --body "cargo test; pytest"
curl http://localhost/test
ssh host uptime
sed -i 's/pytest/nose/' tox.ini
awk '/pytest/ {print}' x
# pytest
: pytest
true # npm test
export TEST=pytest
alias t=pytest
tail -f pytest.log
less test.log
code test.py
open test.html
jq .scripts.test package.json
cat package.json | grep '"test"'
diff test.py test2.py
wc -l tests/*.py
head -50 jest.config.js
ps aux | grep pytest
pkill -f pytest
vite
vite dev
next dev
ng serve
terraform apply
helm install x
tree tests
pre-commit install
pre-commit autoupdate
tox --version
tox -l
tox list
nox -l
playwright codegen
rails server
rails generate test
rails db:migrate
php artisan migrate
php artisan make:test FooTest
zig run a.zig
deno run main.ts
deno fmt
nx graph
nx serve app
turbo run dev
lerna publish
lerna run dev
conda env create -n test
make -v
xcodebuild -list
xcodebuild -showsdks
xcodebuild -version
go list ./...
go doc test
pytest --fixtures
cargo doc --open
make -n
Write-Host "npm test"
Get-Content test.py
Select-String pytest *.py
Remove-Item test -Recurse
uv tool install ruff
pipx install pytest
python3 - <<< "import pytest"
watch ls tests
xargs rm < tests.txt
find tests -name x -delete
docker exec app ls tests
docker run --rm img bash
kubectl exec pod -- ls test
"""
FILES_WITH_THEM = (
    "cat > test.sh <<'EOF'\npytest\nnpm test\nEOF",
    "cat <<'EOF' > Makefile\ntest:\n\tpytest\nEOF",
    "tee Makefile <<EOF\n\tnpm test\nEOF",
    "git commit -F - <<'EOF'\nFix\n\npytest && npm test\nEOF",
    "python - <<'EOF'\nimport pytest\nEOF",
)
