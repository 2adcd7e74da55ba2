package anywhere

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/internal/gittest"
)

// limits distinguishes a worker that hangs from a worker on a slow machine. A slow worker still does something: it uses a processor, waits
// for a free processor, or starts and ends processes.
type limits struct {
	// quiet is the longest time for which a worker is allowed to do nothing. cpu is the most processor time that it is allowed to use.
	quiet, cpu time.Duration
}

// usual are the limits of a worker. A worker does nothing while it waits for an answer of the server, so "quiet" is a minute longer than
// that wait can take. A worker normally uses less than two seconds of processor time, so a worker that uses two minutes is probably in an
// endless loop.
var usual = limits{remote.Deadline + time.Minute, 2 * time.Minute}

// pulse shows whether the processes of a machine are at work: which ones exist, and how much processor time they have used.
type pulse struct {
	pids []int
	used time.Duration
	// wants is true if a process runs, or waits for nothing but a processor.
	wants bool
}

// tick is the unit in which Linux counts processor time.
const tick = 10 * time.Millisecond

// pulseOf reads which processes of a machine exist, and how much processor time they have used. The home folder identifies the machine.
func pulseOf(home string) (p pulse) {
	for _, pid := range gittest.Processes(home) {
		state, used := stat(pid)
		if state == "" || state == "Z" {
			continue
		}
		p.pids = append(p.pids, pid)
		p.used += used
		p.wants = p.wants || state == "R"
	}
	return p
}

// stat returns the state of a process, and the processor time that it and its ended children used.
func stat(pid int) (state string, used time.Duration) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, ok := bytes.Cut(text, []byte(") "))
	f := strings.Fields(string(rest))
	if err != nil || !ok || len(f) < 15 {
		return "", 0
	}
	for _, n := range f[11:15] {
		ticks, _ := strconv.Atoi(n)
		used += time.Duration(ticks) * tick
	}
	return f[0], used
}

// watch waits until the channel "ended" is closed, and then returns an empty string. If the processes with this home folder hang before
// that, or use too much processor time, watch returns a description of the problem.
func (l limits) watch(home string, ended <-chan struct{}) string {
	first := pulseOf(home)
	last, at := first, time.Now()
	look := time.NewTicker(min(time.Second, l.quiet/4))
	defer look.Stop()
	for {
		select {
		case <-ended:
			return ""
		case <-look.C:
		}
		now := pulseOf(home)
		if used := now.used - first.used; used > l.cpu {
			return fmt.Sprintf("works without an end, %s of processor time\n%s", used, describe(now.pids))
		}
		// An idle Go program uses some microseconds now and then, so a single tick does not count.
		if now.wants || now.used-last.used > tick || !slices.Equal(now.pids, last.pids) {
			last, at = now, time.Now()
		}
		if time.Since(at) > l.quiet {
			return fmt.Sprintf("hangs, nothing happened for %s\n%s", l.quiet, describe(now.pids))
		}
	}
}

// describe lists processes with their states and what they wait for.
func describe(pids []int) string {
	var b strings.Builder
	for _, pid := range pids {
		state, used := stat(pid)
		at, _ := os.ReadFile(fmt.Sprintf("/proc/%d/wchan", pid))
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		fmt.Fprintf(&b, "process %d, state %s, used %s, in %s: %s\n", pid, state, used, at, bytes.ReplaceAll(args, []byte{0}, []byte(" ")))
	}
	return b.String()
}

// A process that hangs or loops must be reported, and a slow process must not be reported.
func TestLimits_tellSlowFromHanging(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, want string }{
		{"sleep 60", "hangs"},
		{"kill -STOP $$", "hangs"},
		{"while :; do :; done", "works without an end"},
		{"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.1; done", ""},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			cmd := exec.Command("sh", "-c", c.script)
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				_ = cmd.Wait()
				close(ended)
			}()
			defer stopAll(home, 9)
			got := limits{quiet: time.Second, cpu: 300 * time.Millisecond}.watch(home, ended)
			if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
