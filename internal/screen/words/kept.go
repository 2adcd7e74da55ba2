package words

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

const NoContent = "no content"

// SavedAs names a snapshot, with the command that brings its files back. The command is never wrapped.
func SavedAs(label string) string {
	return savedWith(label, phrase.Unbroken(restoreCommand(label)))
}

// savedInText returns the same text as SavedAs, but the command has ordinary spaces instead of phrase.NoBreak. It is for sentences that
// become part of JSON or are cleaned before they are printed, because NoBreak must occur in neither of them.
func savedInText(label string) string {
	return savedWith(label, restoreCommand(label))
}

func restoreCommand(label string) string { return quote.Command("git resume restore %s", label) }

func savedWith(label, command string) string {
	if !strings.Contains(label, "@") { // the number of the snapshot is not known
		return quote.Clean(label)
	}
	return quote.Clean(label) + " (" + command + ")"
}

// BranchOf returns the command that makes a branch of the commit at which a snapshot was taken. A restore brings back files and no commits.
func BranchOf(snap snapshot.Snapshot) string {
	return phrase.Unbroken(quote.Command("git branch %s %s", "saved-"+snap.Head.Short(), string(snap.Head)))
}

// Held names the first files in a snapshot. It leaves out nested repositories and files that could not be saved. If the snapshot has
// nothing else, it returns NoContent.
func Held(snap snapshot.Snapshot) string {
	left := ByKind(snap.Left)
	out := slices.Concat(left[snapshot.Nested], left[snapshot.Large], left[snapshot.Unreadable])
	names := slices.DeleteFunc(slices.Clone(snap.Paths), func(p string) bool { return slices.Contains(out, strings.TrimSuffix(p, "/")) })
	if len(names) == 0 && len(out) > 0 {
		return NoContent
	}
	for i, name := range names {
		if slices.Contains(snap.Deleted, name) {
			names[i] = name + " (deleted)"
		}
	}
	if folder := commonFolder(names); folder != "" && len(slices.MaxFunc(names, func(a, b string) int { return len(a) - len(b) })) > longPath {
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], folder)
		}
		return "in " + strings.TrimSuffix(folder, "/") + ": " + phrase.Some(names)
	}
	return phrase.Some(names)
}

// longPath is the length of a path that leaves no room for another one in the same line of a terminal. The folder of several such paths is
// named only once.
const longPath = 60

// commonFolder returns the folder that contains all of several paths, with a slash at its end, or "".
func commonFolder(paths []string) string {
	if len(paths) < 2 {
		return ""
	}
	first, last := slices.Min(paths), slices.Max(paths)
	n := 0
	for n < min(len(first), len(last)) && first[n] == last[n] {
		n++
	}
	return first[:strings.LastIndexByte(first[:n], '/')+1]
}

// Unsaved lists work that is not in the snapshot, with the reason. It does not list ignored files.
func Unsaved(left []snapshot.Omission) []string {
	var out []string
	for _, k := range []struct {
		kind snapshot.LeftKind
		why  string
	}{
		{snapshot.Nested, "a nested repository"}, {snapshot.Large, "larger than resume.maxFile"}, {snapshot.Unreadable, "cannot be read"},
	} {
		if names := ByKind(left)[k.kind]; len(names) > 0 {
			out = append(out, fmt.Sprintf("%s (%s)", phrase.Some(names), k.why))
		}
	}
	return out
}

func ByKind(left []snapshot.Omission) map[snapshot.LeftKind][]string {
	by := map[snapshot.LeftKind][]string{}
	for _, l := range left {
		by[l.Kind] = append(by[l.Kind], strings.TrimSuffix(l.Path, "/"))
	}
	return by
}

// SavedNames lists the files in a snapshot. For work of another system without a worktree of its own, the files of that work come first. The
// others are counted and named, the state of other work of that system last.
func SavedNames(a *assess.Assessment) string {
	f := a.Summary.Found
	if f == nil || f.Worktree != "" || len(a.Snapshot.Paths) == 0 {
		return Held(a.Snapshot)
	}
	var others, state []string
	own := a.Snapshot
	own.Paths = nil
	folder := path.Dir(f.Root) + "/"
	for _, p := range a.Snapshot.Paths {
		switch {
		case f.Holds(p):
			own.Paths = append(own.Paths, p)
		case strings.HasPrefix(p, folder):
			state = append(state, p)
		default:
			others = append(others, p)
		}
	}
	rest := a.Snapshot
	if rest.Paths = append(others, state...); len(rest.Paths) == 0 {
		return Held(own)
	}
	text := phrase.Count(len(rest.Paths), "uncommitted file", "uncommitted files") + " of this worktree that its state does not name (" + Held(rest) + "),"
	if len(own.Paths) == 0 {
		return text
	}
	return Held(own) + ", and " + text
}
