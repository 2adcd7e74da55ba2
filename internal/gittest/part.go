package gittest

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
)

// PartEnv is the environment variable that names the role of another process of the test binary.
const PartEnv = "GIT_RESUME_TEST_PART"

// Part is another process of the test binary, which plays a role in the test.
type Part struct {
	*exec.Cmd
	out *bufio.Scanner
}

// Play starts another process of the test binary for a role, and kills it at the end of the test. The package's TestMain must check
// PartEnv.
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

// Says waits for the next line that the process prints, and returns it. The result is empty if the output has ended.
func (p *Part) Says() string {
	p.out.Scan()
	return strings.TrimSpace(p.out.Text())
}

// Kill ends the process without letting it clean up.
func (p *Part) Kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}
