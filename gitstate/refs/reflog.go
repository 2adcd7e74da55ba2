package refs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Move is one entry of a ref's reflog in this clone.
type Move struct {
	// Old is empty for the oldest known move.
	Old, New object.ID
	Message  string
}

// maxSteps limits how many entries of a reflog are read.
const maxSteps = 1000

// Log lists the moves of a ref, newest first, at most maxSteps of them. The list is empty if the ref has no reflog. git never transfers
// reflogs between clones, so every entry was written in this clone.
func (r *Refs) Log(ctx context.Context, ref Name) ([]Move, error) {
	out, err := r.git.Git(ctx, process.Call{Args: []string{
		"log", "-g", "-z", "--no-show-signature", "--no-color", "--format=%H %gs", fmt.Sprintf("--max-count=%d", maxSteps), string(ref), "--",
	}})
	if err != nil {
		return nil, fmt.Errorf("read the reflog of %s: %w", ref, err)
	}
	var steps []Move
	for rec := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		id, message, _ := strings.Cut(rec, " ")
		if !object.IsID(id) {
			continue
		}
		if len(steps) > 0 {
			steps[len(steps)-1].Old = object.ID(id)
		}
		steps = append(steps, Move{New: object.ID(id), Message: message})
	}
	return steps, nil
}

// mostLog is how many bytes at the end of a reflog Visited reads.
const mostLog = 256 << 10

// Visited lists the branches that were checked out in this worktree since a time, according to the reflog of HEAD, the newest first. A branch
// may no longer exist.
func (r *Refs) Visited(ctx context.Context, since time.Time) (out []Name) {
	var lines []string // the time in seconds and the message, the newest first
	if r.InTables() {
		text, _ := r.git.Git(ctx, process.Call{Args: []string{"log", "-g", "--no-show-signature", "--no-color", "--date=unix", "--format=%gd%x09%gs", fmt.Sprintf("--max-count=%d", maxSteps), "HEAD", "--"}})
		for line := range strings.Lines(string(text)) { // for example "HEAD@{1700000000}", TAB, and the message
			when, message, _ := strings.Cut(strings.TrimSpace(line), "\t")
			lines = append(lines, strings.Trim(strings.TrimPrefix(when, "HEAD@"), "{}")+"\t"+message)
		}
	} else {
		text := endOf(filepath.Join(r.git.GitDir, "logs", "HEAD"))
		for line := range strings.Lines(text) { // ids, name and address, the time, the zone, TAB, and the message
			head, message, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if fields := strings.Fields(head[strings.LastIndexByte(head, '>')+1:]); len(fields) == 2 {
				lines = append(lines, fields[0]+"\t"+message)
			}
		}
		slices.Reverse(lines)
	}
	for _, line := range lines {
		at, message, _ := strings.Cut(line, "\t")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil || time.Unix(seconds, 0).Before(since) {
			break
		}
		from, to, ok := strings.Cut(strings.TrimPrefix(message, "checkout: moving from "), " to ")
		if !ok || !strings.HasPrefix(message, "checkout: moving from ") {
			continue
		}
		for _, name := range []string{to, from} {
			if ref := Branch(name); !slices.Contains(out, ref) {
				out = append(out, ref)
			}
		}
	}
	return out
}

// endOf returns the whole lines in the last mostLog bytes of a file, or "" if it cannot be read.
func endOf(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	from := max(0, info.Size()-mostLog)
	data := make([]byte, info.Size()-from)
	n, err := file.ReadAt(data, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	text := string(data[:n])
	if from > 0 {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}
