package past

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// patchDiff fixes everything that shapes a diff: an id must not depend on who computes it.
// Attributes of the moment may call a file binary, so all are taken as text.
var patchDiff = []string{"-c", "core.quotePath=true", "diff-tree", "-r", "-p", "--text", "--full-index",
	"--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/",
	"--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic",
	"--ignore-submodules=none", "--submodule=short"}

// PatchID names the change between two trees or commits apart from where it stands,
// so that a task's work is recognised after a rebase or squash. It is empty if nothing differs.
func PatchID(ctx context.Context, r *gitstate.Repo, from, to string) (string, error) {
	out, err := r.Git(ctx, process.Call{Args: append(slices.Clone(patchDiff), from, to, "--")})
	if err != nil {
		return "", fmt.Errorf("compute patch id: %w", err)
	}
	return patchID(bytes.NewReader(out)), nil
}

// PatchOf is the patch id of what lies between two trees. While commands are executed one process compares all of them.
func PatchOf(ctx context.Context, r *gitstate.Repo, from, to object.ID) (string, error) {
	if !r.Shielded() || from == to {
		return PatchID(ctx, r, string(from), string(to))
	}
	t, err := r.Stay(ctx, process.Differ, process.Call{Args: append(slices.Clone(patchDiff), "--stdin")})
	if err != nil {
		return "", err
	}
	out, err := compare(t, from, to)
	if err != nil {
		return "", fmt.Errorf("compute patch id: %w", err)
	}
	return patchID(bytes.NewReader(out)), nil
}

// behind is a line that git echoes, since it is no object id: no line of a diff begins with such a word.
const behind = "behind the diff\n"

// compare gives the diff between two trees, without the line with which git repeats the question.
func compare(t *process.Talk, from, to object.ID) ([]byte, error) {
	t.Lock()
	defer t.Unlock()
	defer t.Await()()
	head := fmt.Sprintf("%s %s\n", from, to)
	if err := t.Say(head + behind); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for first := true; ; first = false {
		line, err := t.Out.ReadBytes('\n')
		switch {
		case err != nil:
			return nil, t.End(err)
		case first && string(line) != head:
			return nil, t.End(fmt.Errorf("git %s does not answer: %q", t.Name, line))
		case string(line) == behind:
			return out.Bytes(), nil
		case !first:
			out.Write(line)
		}
	}
}

// patchID is the sum, over the files of a diff, of a hash of each file's lines without blanks and without places,
// so that neither the order of files nor the line numbers matter. It is ours, not git's: git's own changed over time,
// and takes two short lines for one long one.
func patchID(diff io.Reader) string {
	var total [sha1.Size]byte
	file := sha1.New()
	any := false
	flush := func() {
		var carry uint
		for i, b := range file.Sum(nil) {
			carry += uint(total[i]) + uint(b)
			total[i] = byte(carry)
			carry >>= 8
		}
		file.Reset()
	}
	in := bufio.NewReader(diff)
	for {
		line, err := in.ReadString('\n')
		switch {
		case strings.HasPrefix(line, "diff --git "):
			if any {
				flush()
			}
			any = true
			io.WriteString(file, noBlanks(line))
		case strings.HasPrefix(line, "index "), strings.HasPrefix(line, "@@ "), line == "":
		default:
			io.WriteString(file, noBlanks(line))
		}
		if err != nil {
			break
		}
	}
	if !any {
		return ""
	}
	flush()
	return hex.EncodeToString(total[:])
}

// noBlanks works on bytes: what is no text must count as it is.
func noBlanks(line string) string {
	out := make([]byte, 0, len(line))
	for i := range len(line) {
		if c := line[i]; c != ' ' && c != '\t' && c != '\r' {
			out = append(out, c)
		}
	}
	return string(out)
}
