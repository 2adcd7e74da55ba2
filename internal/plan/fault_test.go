package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestFaults_areAllToldByLine(t *testing.T) {
	t.Parallel()
	_, err := parseText("p.yaml", []byte("nam: x\nbase: -x\ntasks:\n- id: a\n  needs: [zz]\n  retries: x\n- id: a\n  timeout: 0s\n"))
	want := `p.yaml:1: the plan has an unknown key 'nam'
p.yaml:2: the base '-x' is not a valid name
p.yaml:5: task 'a' needs 'zz', which is not in the plan
p.yaml:6: 'retries' of task 'a' must be a whole number, not the text 'x'
p.yaml:7: the task id 'a' is used twice, here and in line 4
p.yaml:8: 'timeout' of task 'a' is '0s', which leaves no time`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v", err)
	}
	var one Faults
	if !errors.As(fmt.Errorf("start: %w", err), &one) || one[0].Cure == "" || one[0].Line != 1 || one[0].File != "p.yaml" {
		t.Errorf("first fault is %+v", one)
	}
}

func TestFaults_areCountedBeyondTwenty(t *testing.T) {
	t.Parallel()
	_, err := parseText("p.yaml", []byte("tasks:\n"+strings.Repeat("- {id: a, needs: [x, y]}\n", 30)))
	faults := faultsOf(t, err)
	if n := len(faults); n != maxFaults+1 {
		t.Fatalf("%d faults", n)
	}
	if got := faults[maxFaults].Error(); got != "p.yaml: more faults: 69" {
		t.Errorf("last is %q", got)
	}
}

func TestFaults_doNotBlameNeedsForAnUnreadableID(t *testing.T) {
	t.Parallel()
	_, err := parseText("p.yaml", []byte("tasks:\n- id: [schema]\n- id: b\n  needs: [schema]\n"))
	if want := "p.yaml:2: 'id' of task 1 must be text, not a list"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestFault_showsFileNamesSafely(t *testing.T) {
	t.Parallel()
	if got := (Fault{File: "a\x1b[2J.yaml", Line: 3, What: "x"}).Error(); got != `a\x1b[2J.yaml:3: x` {
		t.Errorf("got %q", got)
	}
}
