package gittest

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
)

// PartEnv names the part that a second process of a test plays.
const PartEnv = "GIT_RESUME_TEST_PART"

// Part is the test binary itself, started as another process that plays a part.
type Part struct {
	*exec.Cmd
	out *bufio.Scanner
}

// Play starts a part in the repository and kills it at the end of the test. The TestMain of the package must look for PartEnv.
func (r *Repo) Play(name string, args ...string) *Part {
	r.T.Helper()
	self, err := os.Executable()
	if err != nil {
		r.T.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{r.Dir}, args...)...)
	cmd.Env = append(append([]string{}, r.Env...), PartEnv+"="+name)
	if _, err := cmd.StdinPipe(); err != nil {
		r.T.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.T.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.T.Fatal(err)
	}
	p := &Part{cmd, bufio.NewScanner(out)}
	r.T.Cleanup(p.Kill)
	return p
}

// Says returns the next line that the part prints.
func (p *Part) Says() string {
	p.out.Scan()
	return strings.TrimSpace(p.out.Text())
}

// Kill ends the part without a chance to tidy up.
func (p *Part) Kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}
