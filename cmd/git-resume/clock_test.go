package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestClock_cannotBeSetFromOutside(t *testing.T) {
	t.Parallel()
	forTests, err := gittest.ClockBinary()
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{gittest.Binary(t): false, forTests: true} {
		program, err := os.ReadFile(filepath.Join(dir, "git-resume"))
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(program, []byte(gittest.ClockEnv)); got != want {
			t.Errorf("%s knows %s: %v", dir, gittest.ClockEnv, got)
		}
	}
}
