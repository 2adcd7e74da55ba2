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

// patchDiff sets the options that affect a diff, because a patch id must not depend on who computes it. All files are treated as text,
// because the current attributes may declare a file binary.
var patchDiff = []string{"-c", "core.quotePath=true", "diff-tree", "-r", "-p", "--text", "--full-index",
	"--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/",
	"--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic",
	"--ignore-submodules=none", "--submodule=short"}

// PatchID identifies the change between two trees or commits by its content, not by its position in the files. So a task's work can be
// recognized after a rebase or squash. The id is empty if nothing differs.
func PatchID(ctx context.Context, r *gitstate.Repo, from, to string) (string, error) {
	out, err := r.Git(ctx, process.Call{Args: append(slices.Clone(patchDiff), from, to, "--")})
	if err != nil {
		return "", fmt.Errorf("compute patch id: %w", err)
	}
	return patchID(bytes.NewReader(out)), nil
}

// PatchOf returns the patch id of the change between two trees. After a call of Repo.Shield, one git process stays running and makes all
// diffs, which is faster than starting git for each diff.
func PatchOf(ctx context.Context, r *gitstate.Repo, from, to object.ID) (string, error) {
	if !r.Shielded() || from == to {
		return PatchID(ctx, r, string(from), string(to))
	}
	t, err := r.Resident(ctx, process.Differ, process.Call{Args: append(slices.Clone(patchDiff), "--stdin")})
	if err != nil {
		return "", err
	}
	out, err := compare(t, from, to)
	if err != nil {
		return "", fmt.Errorf("compute patch id: %w", err)
	}
	return patchID(bytes.NewReader(out)), nil
}

// endOfDiff is a line that we send after each question. git prints it unchanged, because it is not an object id. So we can see where the
// diff ends.
const endOfDiff = "behind the diff\n"

// compare returns the diff between two trees. It removes the first line of git's answer, which repeats the two ids.
func compare(t *process.Talk, from, to object.ID) ([]byte, error) {
	t.Lock()
	defer t.Unlock()
	defer t.Await()()
	head := fmt.Sprintf("%s %s\n", from, to)
	if err := t.Say(head + endOfDiff); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for first := true; ; first = false {
		line, err := t.Out.ReadBytes('\n')
		switch {
		case err != nil:
			return nil, t.End(err)
		case first && string(line) != head:
			return nil, t.End(fmt.Errorf("git %s gave an unexpected answer: %q", t.Name, line))
		case string(line) == endOfDiff:
			return out.Bytes(), nil
		case !first:
			out.Write(line)
		}
	}
}

// patchID hashes each file's diff without blanks and line numbers, and adds up the hashes. So neither the order of the files nor the
// position of a change matters. The result is "" if no file differs. It is not git's patch id: git's algorithm has changed over time, and
// treats two short lines like one long line.
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

// noBlanks removes spaces, tabs and carriage returns. It works on bytes, because content that is not valid text must stay unchanged.
func noBlanks(line string) string {
	out := make([]byte, 0, len(line))
	for i := range len(line) {
		if c := line[i]; c != ' ' && c != '\t' && c != '\r' {
			out = append(out, c)
		}
	}
	return string(out)
}
