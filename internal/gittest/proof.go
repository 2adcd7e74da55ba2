package gittest

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// Variables through which the long proof speaks to the tests that are part of it.
const (
	// ProveEnv makes a test go on for as long as it is given, instead of trying a sample.
	ProveEnv = "GIT_RESUME_PROVE"
	// SeedEnv repeats what a seed did.
	SeedEnv = "GIT_RESUME_PROVE_SEED"
	// UntilEnv is the second (Unix time) at which no further trial begins.
	UntilEnv = "GIT_RESUME_PROVE_UNTIL"
	// LedgerEnv is the file that counts the trials.
	LedgerEnv = "GIT_RESUME_PROVE_LEDGER"
)

// Proof counts the trials of one test for the long proof.
type Proof struct {
	t     testing.TB
	suite string
	what  string
	n     int
	Seed  uint64
	until time.Time
}

// Prove begins a proof: suite is its letter, what names the trials. The count is written when the test ends.
func Prove(t testing.TB, suite, what string) *Proof {
	t.Helper()
	p := &Proof{t: t, suite: suite, what: what, Seed: uint64(time.Now().UnixNano())}
	if text := os.Getenv(SeedEnv); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", SeedEnv, err)
		}
		p.Seed = seed
	}
	if text := os.Getenv(UntilEnv); text != "" {
		second, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", UntilEnv, err)
		}
		p.until = time.Unix(second, 0)
	}
	t.Logf("seed %d (%s=%d repeats it)", p.Seed, SeedEnv, p.Seed)
	t.Cleanup(p.write)
	return p
}

// Rand is chance that the seed repeats; several streams do not depend on each other's order.
func (p *Proof) Rand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, stream)) }

// Trial counts n trials whose check has been made.
func (p *Proof) Trial(n int) { p.n += n }

// More reports whether a further trial may begin, of sample or fewer in everyday tests.
func (p *Proof) More(sample int) bool {
	switch {
	case p.t.Failed():
		return false
	case !p.until.IsZero():
		return time.Now().Before(p.until)
	}
	return p.n < sample
}

// tally is one line of the ledger.
type tally struct {
	Suite  string    `json:"suite"`
	What   string    `json:"what"`
	Test   string    `json:"test"`
	N      int       `json:"n"`
	Seed   uint64    `json:"seed"`
	Failed bool      `json:"failed"`
	Ended  time.Time `json:"ended"`
}

func (p *Proof) write() {
	file := os.Getenv(LedgerEnv)
	if file == "" {
		return
	}
	line, err := json.Marshal(tally{p.suite, p.what, p.t.Name(), p.n, p.Seed, p.t.Failed(), time.Now().UTC().Round(time.Second)})
	if err != nil {
		p.t.Error(err)
		return
	}
	// One write to a file opened for appending: tests of several packages count into it at once.
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		p.t.Error(err)
		return
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		p.t.Error(err)
	}
}

// Proving reports that a test is to go on for as long as it is given.
func Proving() bool { return os.Getenv(ProveEnv) != "" }
