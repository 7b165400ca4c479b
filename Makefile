# p4ce: in-network consensus for RDMA. `make help` lists what can be made.

GO ?= go
BIN := bin
# Without the symbols that only a debugger reads: a third less.
SMALL := -ldflags='-s -w'
# Tests and benchmarks share the machine's CPUs with what they measure.
TESTFLAGS ?= -timeout 20m
# Long tests: the name of each as it ends, then what failed and why, and what was skipped and why.
GOTESTSUM := $(GO) run gotest.tools/gotestsum@v1.13.0 --format testname --

# Settings that a user of p4ce has in the shell are not those of the tests and demos.
unexport P4CE_CONFIG P4CE_LOG_LEVEL P4CE_LOG_FORMAT

.PHONY: help build package image verbs demo test test-short test-vm model explore mutants hostile state soak seeds bench peers bench-peers generate tofino p4-public check lint fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/p4ce, bin/p4xc, and bin/p4bench and bin/p4etcd, which p4ce runs (Go only)
	@mkdir -p $(BIN)
	$(GO) build $(SMALL) -o $(BIN)/ ./cmd/p4ce ./cmd/p4bench ./cmd/p4etcd ./cmd/p4xc

package: ## build Debian packages into out/dist (downloads nfpm)
	GO='$(GO)' dist/package out/dist

image: ## build the container image localhost/p4ce:latest (podman, docker or buildah)
	GO='$(GO)' dist/container $(or $(IMAGE),localhost/p4ce:latest)

verbs: ## build bin/p4ce with the provider for RNICs and rxe (needs gcc, librdmacm-dev, libibverbs-dev), vet and test it
	@mkdir -p $(BIN)
	$(GO) build $(SMALL) -tags verbs -o $(BIN)/ ./cmd/p4ce
	$(GO) vet -tags verbs ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags verbs ./host/...
	$(GO) test -tags verbs $(TESTFLAGS) ./host/verbs/...

demo: ## build bin/p4ce and replicate a file through the switch: XDP as root, else the interpreter
	@mkdir -p $(BIN)
	$(GO) build $(SMALL) -o $(BIN)/ ./cmd/p4ce
	$(BIN)/p4ce demo $(ARGS)

test: ## run all tests; as root they use network namespaces and XDP
	$(GO) vet ./...
	$(GO) test $(TESTFLAGS) ./...

test-short: ## run the tests that take little time
	$(GO) test -short $(TESTFLAGS) ./...

test-vm: ## run the tests with real RDMA peers in guests (root; qemu-system-x86 and apt-get; a few minutes)
	P4CE_VM=1 $(GOTESTSUM) $(TESTFLAGS) -timeout 60m -p 1 -count=1 ./test/vm/...

model: ## check a model of the decision protocol (spin, gcc; a few minutes, ARGS=-quick: less; without them nothing)
	$(GO) run ./test/model $(ARGS)

explore: ## look at every order of events in small worlds of real programs (minutes; ARGS=-quick: less; ARGS='-world …': worlds of your own)
	$(GO) run ./test/explore $(ARGS)

mutants: ## break the programs in many ways, and see that a test notices each (hours; ARGS=-quick: minutes; ARGS=-generated: the rate of generated ones)
	$(GO) run ./test/mutants $(ARGS)

soak: ## run the decision protocol under random faults: SEEDS runs (default 100000) from SEED, LONG simulated (default 300ms)
	$(GO) test ./systems/rdma/mu/chaos -run TestChaos -v -timeout 0 -seeds $(or $(SEEDS),100000) -seed $(or $(SEED),1) -long $(or $(LONG),300ms)

seeds: ## run random networks of SYSTEM (onepipe, amcast) in simulated time: SEEDS of them (default 100000) from SEED (hours; GOMAXPROCS: on how many cores)
	$(GO) test ./systems/$(or $(SYSTEM),onepipe)/fabric -run 'TestRandom$$' -v -timeout 0 -seeds $$(($(or $(SEEDS),100000) / $(if $(filter amcast,$(SYSTEM)),1,4))) -seed $(or $(SEED),1)

faults: ## run the stores with clients while servers, links and the switch fail; then with disks that do (root; some 10 minutes)
	P4CE_FAULTS=1 $(GOTESTSUM) $(TESTFLAGS) -count=1 ./test/fault
	P4CE_FAULTS=1 $(GO) test $(TESTFLAGS) -count=1 -v -run 'TestKVDiskFaults|TestKVSettings' ./cmd/p4ce

hostile: ## let a host on a port attack switch, controller and stores while they serve clients (root; a few minutes)
	$(GO) test -count=1 -v ./test/wrapped
	P4CE_FAULTS=1 $(GO) test -count=1 -v -timeout 10m -run 'TestTwoClustersAndStranger|TestFloods|TestForgedLinks|TestHostileClients' ./test/fault

state: ## bring a server with 4 GiB of state back under load, each server in 1 GiB of memory (root; some twenty minutes; STATE, MEMORY in MiB)
	P4CE_FAULTS=1 $(GO) test -timeout 2h -count=1 -v -run 'TestStateBack$$' ./test/fault -state-mib $(or $(STATE),4096) -memory-mib $(or $(MEMORY),1024) $(ARGS)

day: ## ten million operations on the store with a fault every few seconds (root; ten minutes or so; ARGS='-day-ops N')
	P4CE_FAULTS=1 $(GO) test -timeout 12h -count=1 -v -run TestDayInTheLife ./test/fault -day-ops 10000000 -day-every 4s $(ARGS)

bench: build ## measure the switch's programs beside C by hand, a plain redirect and TC (root; ARGS: p4ce bench switch --help)
	$(BIN)/p4ce bench switch $(ARGS)

tofino: ## compile all programs with a compiler for Tofino, BF_P4C=/path/to/bf-p4c, and write what they need to docs/tofino.md
	$(GO) run ./test/tofino -compiler '$(BF_P4C)' $(ARGS)

p4-public: ## compile public P4 programs: CHECKOUT, a checkout of p4lang/p4c or p4lang/open-p4studio (ARGS=-load: into the kernel, root)
	$(GO) run ./test/public -checkout '$(CHECKOUT)' $(ARGS)

peers: ## build bin/peerd, which measures p4ce beside others, and vet it (a Go module of its own: bench/peers)
	@mkdir -p $(BIN)
	cd bench/peers && $(GO) vet ./... && $(GO) build -o ../../$(BIN)/ ./peerd

bench-peers: build peers ## measure beside etcd-io/raft, hashicorp/raft, etcd and Redis (root; ARGS: bench/peers/README.md)
	$(BIN)/peerd bench -p4ce $(BIN)/p4ce $(ARGS)

generate: ## make all generated files anew (needs clang-19 and llvm-19)
	$(GO) generate ./...

check: lint ## format, vet, staticcheck, and that generated files are fresh
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'run gofmt -w on these'; exit 1; }
	$(GO) vet ./...
	./test/fresh.sh

lint: ## staticcheck
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

fuzz: ## run every fuzz target for FUZZTIME each (default 30s)
	./test/fuzz.sh $(or $(FUZZTIME),30s)

clean: ## remove what was built
	rm -rf $(BIN) out
