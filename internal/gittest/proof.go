package gittest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// These variables pass settings from the long proof to the tests that are part of it.
const (
	// ProveEnv makes a test continue for as long as its time allows, instead of trying a sample.
	ProveEnv = "GIT_RESUME_PROVE"
	// SeedEnv sets the seed, to repeat what an earlier seed did.
	SeedEnv = "GIT_RESUME_PROVE_SEED"
	// CallEnv names the call at which every scenario is killed, instead of a sample: it repeats a test of suite A whose name shows that number.
	CallEnv = "GIT_RESUME_PROVE_CALL"
	// UntilEnv is the second (Unix time) after which no further trial starts.
	UntilEnv = "GIT_RESUME_PROVE_UNTIL"
	// LedgerEnv is the file that counts the trials of this run and of earlier ones.
	LedgerEnv = "GIT_RESUME_PROVE_LEDGER"
	// WhereEnv is a Where in JSON, for every line of the ledger.
	WhereEnv = "GIT_RESUME_PROVE_WHERE"
)

// sampleSeed is the seed of the samples among the other tests. These only show whether a change broke something;
// the long proof searches for faults that nobody has seen yet.
const sampleSeed = 2030

// Proof counts the trials of one test for the long proof.
type Proof struct {
	t     testing.TB
	suite string
	what  string
	Seed  uint64
	until time.Time

	lock           sync.Mutex
	n              int // trials in all
	recordedTrials int // trials that the ledger has already
	written        time.Time
	points         map[string][]int
	past           map[string]map[int]int
}

// Prove starts a proof: suite is its letter, what names the trials. The count is written when the test ends,
// and from time to time before that, so that an interrupted proof keeps its count.
//
// The program that runs the proof finds the tests of a suite by searching for this call, so the letter must be a literal in the call.
func Prove(t testing.TB, suite, what string) *Proof {
	t.Helper()
	p := &Proof{t: t, suite: suite, what: what, Seed: sampleSeed, written: time.Now(), points: map[string][]int{}}
	if Proving() {
		p.Seed = uint64(time.Now().UnixNano())
	}
	if text := os.Getenv(SeedEnv); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", SeedEnv, err)
		}
		p.Seed = seed
	}
	var err error
	if p.until, err = until(); err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d (%s=%d repeats it)", p.Seed, SeedEnv, p.Seed)
	t.Cleanup(func() {
		p.lock.Lock()
		defer p.lock.Unlock()
		p.write(true)
	})
	return p
}

// until returns the time after which no further trial starts; zero if none is set.
func until() (time.Time, error) {
	text := os.Getenv(UntilEnv)
	if text == "" {
		return time.Time{}, nil
	}
	second, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: %w", UntilEnv, err)
	}
	return time.Unix(second, 0), nil
}

// Call returns the number that CallEnv names; 0 if it is not set.
func Call(t testing.TB) int {
	t.Helper()
	text := os.Getenv(CallEnv)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", CallEnv, err)
	}
	return n
}

// TimeLeft reports whether the long proof still has time, for tests whose parts fail one by one.
func TimeLeft() bool {
	end, err := until()
	return err == nil && time.Now().Before(end)
}

// Rand returns a random source that the seed repeats; separate streams do not depend on each other's order.
func (p *Proof) Rand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, stream)) }

// Trial counts n trials that have been checked.
func (p *Proof) Trial(n int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.n += n
	if time.Since(p.written) > 5*time.Second {
		p.write(false)
	}
}

// At records that a point of a series was tried, so that a later run continues after it.
func (p *Proof) At(series string, point int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.points[series] = append(p.points[series], point)
}

// Times returns how often each point of a series was tried, in earlier runs and in this one.
func (p *Proof) Times(series string) map[int]int {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.past == nil {
		p.past = p.readPast()
	}
	out := map[int]int{}
	for point, n := range p.past[series] {
		out[point] = n
	}
	for _, point := range p.points[series] {
		out[point]++
	}
	return out
}

// readPast reads the points that earlier runs tried.
func (p *Proof) readPast() map[string]map[int]int {
	past, err := Past(p.suite)
	if err != nil {
		p.t.Error(err)
	}
	return past
}

// Past returns how often each point of each series of a suite was tried in earlier runs.
func Past(suite string) (map[string]map[int]int, error) {
	past := map[string]map[int]int{}
	lines, err := ReadLedger(os.Getenv(LedgerEnv))
	for _, l := range lines {
		if l.Suite == suite {
			for series, points := range l.Points {
				note(past, series, points)
			}
		}
	}
	return past, err
}

// ReadLedger reads all lines of a ledger; a missing file has none.
// It skips a line that a killed process wrote only in part.
func ReadLedger(file string) ([]Tally, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && file != "" {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	var out []Tally
	for line := range bytes.Lines(text) {
		var l Tally
		if json.Unmarshal(line, &l) == nil {
			out = append(out, l)
		}
	}
	return out, nil
}

// More reports whether a further trial may start; everyday tests run at most sample trials.
func (p *Proof) More(sample int) bool {
	p.lock.Lock()
	n := p.n
	p.lock.Unlock()
	switch {
	case p.t.Failed():
		return false
	case !p.until.IsZero():
		return time.Now().Before(p.until)
	}
	return n < sample
}

// Tally is one line of the ledger: what a test has tried since its previous line.
type Tally struct {
	Suite  string           `json:"suite"`
	What   string           `json:"what"`
	Test   string           `json:"test"`
	N      int              `json:"n"`
	Seed   uint64           `json:"seed,omitempty"`
	Failed bool             `json:"failed,omitempty"`
	Ended  time.Time        `json:"ended"`
	Points map[string][]int `json:"points,omitempty"`
	Where  *Where           `json:"where,omitempty"`
}

// Where describes the program and the machine that a test ran on.
type Where struct {
	Commit     string `json:"commit,omitempty"`
	Kernel     string `json:"kernel,omitempty"`
	FileSystem string `json:"filesystem,omitempty"`
	Git        string `json:"git,omitempty"`
	// Output is the file that keeps what a failing test printed.
	Output string `json:"output,omitempty"`
}

// write appends to the ledger what it does not have yet; the caller holds the lock.
func (p *Proof) write(last bool) {
	file := os.Getenv(LedgerEnv)
	failed := last && p.t.Failed()
	if file == "" || p.n == p.recordedTrials && !failed {
		return
	}
	if p.past == nil { // read the past before our own lines are in the ledger
		p.past = p.readPast()
	}
	line := Tally{Suite: p.suite, What: p.what, Test: p.t.Name(), N: p.n - p.recordedTrials, Seed: p.Seed,
		Failed: failed, Ended: time.Now().UTC().Round(time.Second), Points: p.points}
	if text := os.Getenv(WhereEnv); text != "" {
		if err := json.Unmarshal([]byte(text), &line.Where); err != nil {
			p.t.Errorf("%s: %v", WhereEnv, err)
		}
	}
	if err := line.Append(file); err != nil {
		p.t.Error(err)
		return
	}
	for series, points := range p.points {
		note(p.past, series, points)
	}
	p.recordedTrials, p.written, p.points = p.n, time.Now(), map[string][]int{}
}

func note(times map[string]map[int]int, series string, points []int) {
	if times[series] == nil {
		times[series] = map[int]int{}
	}
	for _, point := range points {
		times[series][point]++
	}
}

// Append adds the line with one write to a file opened for appending, because tests of several packages write to it at the same time.
func (l Tally) Append(file string) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("count trials: %w", err)
	}
	defer f.Close()
	_, err = f.Write(append(text, '\n'))
	return err
}

// Proving reports whether a test should continue for as long as its time allows.
func Proving() bool { return os.Getenv(ProveEnv) != "" }
