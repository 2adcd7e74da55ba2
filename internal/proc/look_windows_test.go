package proc

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestMain lets the tests start this program as a process that waits, and as one that starts such a process and ends.
func TestMain(m *testing.M) {
	switch os.Getenv("TEST_PROC_AS") {
	case "wait":
		time.Sleep(time.Minute)
	case "leave":
		child := again("wait")
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
		time.Sleep(time.Second)
	default:
		os.Exit(m.Run())
	}
}

func again(as string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TEST_PROC_AS="+as)
	return cmd
}

// A process is alive until it ends, and then it is dead, also if its number is used again.
func TestTable_seesProcessesOfWindows(t *testing.T) {
	self, ok := Table{}.Get(os.Getpid())
	if !ok || self.Start == "" || len(self.Args) == 0 || self.PPID != os.Getppid() {
		t.Errorf("this process is %+v, %v; its parent is %d", self, ok, os.Getppid())
	}
	child := again("wait")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	p, ok := Table{}.Get(child.Process.Pid)
	if !ok || p.PPID != os.Getpid() {
		t.Errorf("the child is %+v, %v", p, ok)
	}
	host := Table{}.Host()
	if got := (Table{}).FateOf(host, p.PID, p.Start); got != Alive {
		t.Errorf("the child is %s", got)
	}
	if !(Table{}).Descends(p.PID, self.PID, self.Start) {
		t.Error("the child does not descend from this process")
	}
	if pids, known := (Table{}).All(); !known || !slices.Contains(pids, p.PID) || !slices.Contains(pids, self.PID) {
		t.Errorf("all processes: %v, %v", pids, known)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if got := (Table{}).FateOf(host, p.PID, p.Start); got != Dead {
		t.Errorf("the killed child is %s", got)
	}
	if got := (Table{}).FateOf(host, self.PID, p.Start); got != Dead {
		t.Errorf("a process with another beginning is %s", got)
	}
}

// What a process has started is found after the process itself has ended.
func TestTable_membersOutliveTheirFirst(t *testing.T) {
	first := again("leave")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	p, ok := Table{}.Get(first.Process.Pid)
	if !ok {
		t.Fatal("the first process cannot be seen")
	}
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	left := Table{}.Members(Table{}.Host(), p.PID, p.Start)
	if len(left) != 1 || left[0] == p.PID {
		t.Fatalf("what is left of %d is %v", p.PID, left)
	}
	start, _ := strconv.ParseInt(p.Start, 10, 64)
	if other := (Table{}).Members(Table{}.Host(), p.PID, strconv.FormatInt(start+int64(time.Hour), 10)); len(other) > 0 {
		t.Errorf("a later process with this id has %v", other)
	}
	if end, err := os.FindProcess(left[0]); err != nil || end.Kill() != nil {
		t.Errorf("%d cannot be ended", left[0])
	}
	for range 100 { // its record goes when the system has removed it
		if left = (Table{}).Members(Table{}.Host(), p.PID, p.Start); len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("still there: %v", left)
}
