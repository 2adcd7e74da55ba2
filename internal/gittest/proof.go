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

// Variables through which the long proof speaks to the tests that are part of it.
const (
	// ProveEnv makes a test go on for as long as it is given, instead of trying a sample.
	ProveEnv = "GIT_RESUME_PROVE"
	// SeedEnv repeats what a seed did.
	SeedEnv = "GIT_RESUME_PROVE_SEED"
	// CallEnv names the call at which every scene is killed, instead of a sample: it repeats what a test of A tells in its name.
	CallEnv = "GIT_RESUME_PROVE_CALL"
	// UntilEnv is the second (Unix time) at which no further trial begins.
	UntilEnv = "GIT_RESUME_PROVE_UNTIL"
	// LedgerEnv is the file that counts the trials, of this run and of those before.
	LedgerEnv = "GIT_RESUME_PROVE_LEDGER"
	// WhereEnv is a Where in JSON, for every line of the ledger.
	WhereEnv = "GIT_RESUME_PROVE_WHERE"
)

// everyday is the seed of the samples among the other tests: those say whether a change broke something,
// looking for what nobody has seen yet is the long proof's.
const everyday = 2030

// Proof counts the trials of one test for the long proof.
type Proof struct {
	t     testing.TB
	suite string
	what  string
	Seed  uint64
	until time.Time

	lock    sync.Mutex
	n       int // trials in all
	told    int // of which the ledger knows
	written time.Time
	points  map[string][]int
	past    map[string]map[int]int
}

// Prove begins a proof: suite is its letter, what names the trials. The count is written when the test ends,
// and now and then before that, so that a proof that is broken off keeps what it had.
//
// The program that runs the proof finds the tests of a suite by this call: the letter is written where it is called.
func Prove(t testing.TB, suite, what string) *Proof {
	t.Helper()
	p := &Proof{t: t, suite: suite, what: what, Seed: everyday, written: time.Now(), points: map[string][]int{}}
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

// until is the time at which no further trial begins; zero if none is set.
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

// Call is the number that CallEnv names; 0 if none.
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

// TimeLeft reports that the long proof goes on, for tests whose parts fail one by one.
func TimeLeft() bool {
	end, err := until()
	return err == nil && time.Now().Before(end)
}

// Rand is chance that the seed repeats; several streams do not depend on each other's order.
func (p *Proof) Rand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, stream)) }

// Trial counts n trials whose check has been made.
func (p *Proof) Trial(n int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.n += n
	if time.Since(p.written) > 5*time.Second {
		p.write(false)
	}
}

// At notes that a point of a series was tried, so that a later run goes on behind it.
func (p *Proof) At(series string, point int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.points[series] = append(p.points[series], point)
}

// Times says how often each point of a series was tried, in earlier runs and in this one.
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

// Past says how often each point of each series of a suite was tried in earlier runs.
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

// ReadLedger reads all lines of a ledger; there are none in a file that is not there.
// A line that a stopped process wrote by half is passed over.
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

// More reports whether a further trial may begin, of sample or fewer in everyday tests.
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

// Tally is one line of the ledger: what a test tried since its line before.
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

// Where says on what a test ran.
type Where struct {
	Commit     string `json:"commit,omitempty"`
	Kernel     string `json:"kernel,omitempty"`
	FileSystem string `json:"filesystem,omitempty"`
	Git        string `json:"git,omitempty"`
	// Output is the file that keeps what a failing test said.
	Output string `json:"output,omitempty"`
}

// write tells the ledger what it does not know yet; the lock is held.
func (p *Proof) write(last bool) {
	file := os.Getenv(LedgerEnv)
	failed := last && p.t.Failed()
	if file == "" || p.n == p.told && !failed {
		return
	}
	if p.past == nil { // before our own lines are among it
		p.past = p.readPast()
	}
	line := Tally{Suite: p.suite, What: p.what, Test: p.t.Name(), N: p.n - p.told, Seed: p.Seed,
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
	p.told, p.written, p.points = p.n, time.Now(), map[string][]int{}
}

func note(times map[string]map[int]int, series string, points []int) {
	if times[series] == nil {
		times[series] = map[int]int{}
	}
	for _, point := range points {
		times[series][point]++
	}
}

// Append adds the line by one write to a file opened for appending: tests of several packages count into it at once.
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

// Proving reports that a test is to go on for as long as it is given.
func Proving() bool { return os.Getenv(ProveEnv) != "" }
