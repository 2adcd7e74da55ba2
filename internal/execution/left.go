package execution

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// AllFiles is the pattern that matches every file that git does not ignore.
const AllFiles = "**"

// maxDiffers limits the size of a file list in one journal line. For a longer list, only its checksum is recorded.
const maxDiffers = 6 << 10

// DescribeFiles describes the files that the patterns match: the git tree of HEAD, and the files that differ from it. It includes ignored
// files that a pattern names, because build results are often ignored. The pattern AllFiles does not include ignored files.
func DescribeFiles(ctx context.Context, r *gitstate.Repo, patterns []string) (checkpoint.WorktreeState, error) {
	_, head, err := r.Refs.Head(ctx)
	if err != nil || head == "" {
		return checkpoint.WorktreeState{}, err
	}
	c, err := r.Objects.Commit(ctx, string(head))
	if err != nil {
		return checkpoint.WorktreeState{}, err
	}
	left := checkpoint.WorktreeState{Tree: c.Tree}
	if len(patterns) == 0 {
		return left, nil
	}
	paths, err := differingFiles(ctx, r, c.Tree, patterns)
	if err != nil {
		return checkpoint.WorktreeState{}, err
	}
	left.Differs = map[string]string{}
	for _, p := range paths {
		left.Differs[p] = sumOf(r.WorkTree, p)
	}
	left.Sum = sumAll(left.Differs)
	return left, nil
}

// CleanState is what DescribeFiles returns for a worktree in which no file differs from its tree and no file is ignored.
func CleanState(tree object.ID, patterns []string) checkpoint.WorktreeState {
	left := checkpoint.WorktreeState{Tree: tree}
	if len(patterns) > 0 {
		left.Differs, left.Sum = map[string]string{}, sumAll(nil)
	}
	return left
}

// Record stores in an event which of the compared files of a worktree differ from HEAD (see checkpoint.WorktreeState), and a checksum over
// all of these. If the list is long, it stores only the checksum.
func Record(e *checkpoint.Event, l checkpoint.WorktreeState) {
	e.DiffersSum = l.Sum
	size := 0
	for p, sum := range l.Differs {
		size += len(p) + len(sum) + 8
	}
	if size > 0 && size <= maxDiffers {
		e.Differs = l.Differs
	}
}

// Changed lists the matching files that have changed since the state was recorded. It compares contents, not times. If only a checksum of
// all files was recorded, it lists nothing, and the result "many" says whether any file has changed.
func Changed(ctx context.Context, r *gitstate.Repo, was checkpoint.WorktreeState, patterns []string) (paths []string, many bool, err error) {
	if len(patterns) == 0 || was.Tree == "" {
		return nil, false, nil
	}
	now, err := differingFiles(ctx, r, was.Tree, patterns)
	if err != nil {
		return nil, false, err
	}
	if len(was.Differs) == 0 && was.Sum != "" && was.Sum != sumAll(nil) {
		sums := map[string]string{}
		for _, p := range now {
			sums[p] = sumOf(r.WorkTree, p)
		}
		return nil, sumAll(sums) != was.Sum, nil
	}
	seen := map[string]bool{}
	for _, p := range now {
		seen[p] = true
		if was.Differs[p] != sumOf(r.WorkTree, p) {
			paths = append(paths, p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(was.Differs)) {
		if !seen[p] && Matches(patterns, p) && was.Differs[p] != sumOf(r.WorkTree, p) {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths, false, nil
}

// differingFiles lists the matching files that differ from a git tree, including untracked files. Ignored files are included too, but not
// with the pattern AllFiles.
func differingFiles(ctx context.Context, r *gitstate.Repo, tree object.ID, patterns []string) ([]string, error) {
	specs := make([]string, len(patterns))
	for i, p := range patterns {
		specs[i] = ":(top,glob)" + p
	}
	others := []string{"ls-files", "-z", "-o", "--full-name"}
	if slices.Contains(patterns, AllFiles) {
		others = append(others, "--exclude-standard") // leave out ignored files, because AllFiles does not match them
	}
	var out []string
	for _, args := range [][]string{
		{"diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", string(tree)},
		others,
	} {
		text, err := r.Git(ctx, process.Call{Args: append(append(args, "--"), specs...)})
		if err != nil {
			return nil, fmt.Errorf("list the changed files: %w", err)
		}
		for p := range strings.SplitSeq(string(text), "\x00") {
			if p != "" {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// sumOf returns a checksum of a file's type and content. The result is "-" if the file does not exist, and another single character for a
// folder, a special file, or a file that cannot be read.
func sumOf(top, name string) string {
	full := filepath.Join(top, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	if err != nil {
		return "-"
	}
	h := sha256.New()
	kind := "f"
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		kind = "l"
		to, _ := os.Readlink(full)
		_, _ = io.WriteString(h, to)
	case info.IsDir():
		return "d" // the content of a nested repository does not count
	case !info.Mode().IsRegular():
		return "o"
	default:
		if info.Mode()&0o100 != 0 {
			kind = "x"
		}
		if err := sumFile(h, full); err != nil {
			return "?"
		}
	}
	return kind + hex.EncodeToString(h.Sum(nil)[:16])
}

func sumFile(h io.Writer, full string) error {
	f, err := os.Open(full)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(h, f)
	return err
}

func sumAll(differs map[string]string) string {
	h := sha256.New()
	for _, p := range slices.Sorted(maps.Keys(differs)) {
		fmt.Fprintf(h, "%q %s\n", p, differs[p])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Matches reports whether one of the patterns matches a path, according to the rules of git's glob pathspecs.
// A pattern that matches a folder matches everything in it.
func Matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return match(strings.Split(strings.TrimSuffix(p, "/"), "/"), strings.Split(name, "/"))
	})
}

func match(pattern, name []string) bool {
	for i, part := range pattern {
		if part == "**" {
			rest := pattern[i+1:]
			if len(rest) == 0 {
				return len(name) > 0
			}
			for k := range name {
				if match(rest, name[k:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(part, name[0]); err != nil || !ok {
			return false
		}
		name = name[1:]
	}
	return true
}
