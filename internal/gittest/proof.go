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
	"strings"
	"sync"
	"testing"
	"time"
)

// The long proof passes its settings to the tests in these variables.
const (
	// ProveEnv is set in the long proof. Tests then try many more cases, usually until the time in UntilEnv is reached.
	ProveEnv = "GIT_RESUME_PROVE"
	// SeedEnv sets the random seed, to repeat an earlier run.
	SeedEnv = "GIT_RESUME_PROVE_SEED"
	// CallEnv sets the number of the system call at which the program is killed in every scenario of suite A.
	CallEnv = "GIT_RESUME_PROVE_CALL"
	// ScenariosEnv is a list of words, separated by commas. If it is set, suite A runs only the scenarios whose names contain one of
	// these words. It kills the program once at each point that is not in the ledger yet. UntilEnv must be set too.
	ScenariosEnv = "GIT_RESUME_PROVE_SCENARIOS"
	// UntilEnv is the time, in Unix seconds, after which no further trial starts.
	UntilEnv = "GIT_RESUME_PROVE_UNTIL"
	// LedgerEnv names the file that counts the trials of this run and of earlier ones.
	LedgerEnv = "GIT_RESUME_PROVE_LEDGER"
	// WhereEnv describes the program and the machine. Its value is a Where object in JSON.
	// The tests write it to every line of the ledger.
	WhereEnv = "GIT_RESUME_PROVE_WHERE"
)

// sampleSeed is the fixed random seed of everyday tests, because these tests only show whether a change broke something. The long proof (a
// test run with ProveEnv set) uses other seeds, because it searches for bugs that nobody has seen yet.
const sampleSeed = 2030

// Proof counts the trials of one test in the long proof, a test run with ProveEnv set that tries many more cases than usual.
type Proof struct {
	t     testing.TB
	suite string
	what  string
	Seed  uint64
	until time.Time

	lock           sync.Mutex
	n              int // number of trials
	recordedTrials int // number of trials that are already in the ledger
	written        time.Time
	points         map[string][]int
	past           map[string]map[int]int
}

// Prove starts counting the trials of a test. The argument "suite" is a letter, and the argument "what" describes the trials. The letter
// must be a literal, because the proof program searches the source code for it.
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

// until returns the time after which no further trial starts; zero if there is no limit.
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

// Call returns the number in CallEnv; 0 if it is not set.
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

// Scenarios returns the words in ScenariosEnv.
func Scenarios() []string {
	return strings.FieldsFunc(os.Getenv(ScenariosEnv), func(c rune) bool { return c == ',' })
}

// TimeLeft reports whether the end that was set for the long proof has not been reached yet. It returns false if no end was set.
func TimeLeft() bool {
	end, err := until()
	return err == nil && time.Now().Before(end)
}

// Rand returns a random generator for the seed. Each stream is independent of the use of other streams.
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

// At records that a case of a series was tried. point is the number of the case. A later test run can then try other cases.
func (p *Proof) At(series string, point int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.points[series] = append(p.points[series], point)
}

// Times returns how often each case of a series was tried, in this test run and in earlier ones. The keys are the numbers of the cases.
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

func (p *Proof) readPast() map[string]map[int]int {
	past, err := Past(p.suite)
	if err != nil {
		p.t.Error(err)
	}
	return past
}

// Past returns, for each series of a suite, how often earlier test runs tried each case.
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

// ReadLedger reads all lines of a ledger. A missing file counts as empty. ReadLedger skips incomplete lines, which killed processes leave.
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

// More is true as long as another trial may start. It is false after a failure. Everyday tests stop after the given number of trials.
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

// Tally is one line of the ledger. It counts what a test has tried since its previous line.
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
	// Output is the file with the output of a failing test.
	Output string `json:"output,omitempty"`
}

// write appends the trials that are not in the ledger yet. The caller holds the lock.
func (p *Proof) write(last bool) {
	file := os.Getenv(LedgerEnv)
	failed := last && p.t.Failed()
	if file == "" || p.n == p.recordedTrials && !failed {
		return
	}
	if p.past == nil { // read the earlier trials before we add our own
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

// Append adds the line with a single write to a file opened for appending, because tests of several packages write to it concurrently.
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

// Proving reports whether the tests run in the long proof, and so try many more cases than usual.
func Proving() bool { return os.Getenv(ProveEnv) != "" }

// Point returns number i of n numbers that are spread evenly between 1 and "most". Everyday tests kill a program at such a sample of its
// system calls, which is the same on every day.
func Point(i, n, most int) int { return 1 + i*most/n }
