package packaging

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// setUp lists commands of the README that the tests do not execute, because they change the machine or take a long time. The script .ci/run
// executes them, or commands like them.
var setUp = []string{"./install.sh && git resume demo", "go test -count=1 ./...", "sh install.sh --uninstall"}

// fromRelease is how the README installs an archive. TestInstall_fromAnArchiveWithoutGo does the same with an archive of its own.
const fromRelease = "sh install.sh --from git-resume-0.9.0-linux-amd64.tar.gz && git resume demo"

func TestReadme_namesTheSetUpThatIsChecked(t *testing.T) {
	t.Parallel()
	ci := read(t, ".ci/run")
	for _, b := range blocks(read(t, "README.md")) {
		if b.kind == "sh" && !slices.Contains(append(setUp, fromRelease), strings.TrimSpace(b.text)) {
			t.Errorf("nobody checks this command of the README: %s", b.text)
		}
	}
	demand(t, "README", read(t, "README.md"), "continue interrupted work\n")
	demand(t, "check", ci, "go test -count=1 ./...")
	demand(t, "check", ci, "install.sh --prefix")
	demand(t, "check", ci, "--uninstall")
}

// block is one fenced code block of a document.
type block struct{ kind, text string }

func blocks(text string) []block {
	var out []block
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		out = append(out, block{m[1], m[2]})
	}
	return out
}
