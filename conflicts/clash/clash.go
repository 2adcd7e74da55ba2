package clash

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// Kind says what two sides did to a path that cannot be merged.
type Kind string

// The kinds of conflict.
const (
	Content         Kind = "content"
	AddAdd          Kind = "add/add"
	ModifyDelete    Kind = "modify/delete"
	RenameDelete    Kind = "rename/delete"
	RenameRename    Kind = "rename/rename"
	RenameAdd       Kind = "rename/add"
	DirectoryRename Kind = "directory rename"
	FileDirectory   Kind = "file/directory"
	Mode            Kind = "mode"
	Symlink         Kind = "symlink"
	Submodule       Kind = "submodule"
	Binary          Kind = "binary"
	// Unknown: it could not be told whether the path merges.
	Unknown Kind = "unknown"
)

// The sides of a merge, as places in an array.
const (
	InBase = iota
	InOurs
	InTheirs
)

// Other is the opposite side.
func Other(side int) int { return 3 - side }

// Clash is a path that cannot be merged, as an engine found it.
type Clash struct {
	Path string
	// Listed is the path in git's result, where made-up commits still have their own names.
	Listed string
	Kind   Kind
	// At holds the versions (base, ours, theirs) and Names the paths they have there.
	At    [3]object.Version
	Names [3]string
	Why   string
	// Regions, where an engine has them already.
	Regions []lines.Region
	Placed  bool
}

// Verdict is what an engine found.
type Verdict struct {
	Clean   bool
	Clashes []Clash
	Merged  []string // changed by both sides, and mergeable
	Doubts  []Doubt
	// Result is the tree git made, with conflict markers; empty for the builtin engine.
	Result object.ID
}

// Doubt is something that an engine could not tell, which counts as a conflict.
type Doubt struct {
	Path, Text string
	// Astray: where files of a renamed directory belong is not clear; no path is in conflict for it.
	Astray bool
}

// Merge is what an engine is asked.
type Merge struct {
	Repo *past.Scratch
	// Tips are the commits of the base and of both sides.
	Tips [3]object.ID
	// Several: the sides have more than the one common ancestor.
	Several bool
	// Changed is what each side changed since the base, renames not followed.
	Changed [3][]past.Delta
	// Labels are the names of the sides behind those of files that are moved aside.
	Labels [3]string
}

// TypeOf tells files, links and submodules apart; FileType is that of a file.
func TypeOf(v object.Version) uint32 { return v.Mode &^ 0o7777 }

const FileType = 0o100000

// TypeKind names a conflict between a file and something that is no file.
func TypeKind(at [3]object.Version) Kind {
	for _, v := range at {
		if v.Mode == object.ModeSubmodule {
			return Submodule
		}
	}
	return Symlink
}

// SameTypeKind names a conflict between two versions of one type.
func SameTypeKind(at [3]object.Version) Kind {
	ours, theirs := at[1], at[2]
	switch {
	case ours.Mode == object.ModeSubmodule || theirs.Mode == object.ModeSubmodule:
		return Submodule
	case ours.Mode == object.ModeLink || theirs.Mode == object.ModeLink:
		return Symlink
	case ours.Mode == 0 || theirs.Mode == 0:
		return ModifyDelete
	case ours.ID == theirs.ID:
		return Mode
	case at[0].Mode == 0:
		return AddAdd
	}
	return Content
}

// MaxText bounds a file that is compared line by line.
const MaxText = 32 << 20

// ReadTexts reads the versions of a file; one that is no file, or not there, is empty.
func ReadTexts(ctx context.Context, r *past.Scratch, at [3]object.Version) (out [3][]byte, err error) {
	for i, v := range at {
		if TypeOf(v) != FileType {
			continue
		}
		out[i], err = r.BlobUpTo(ctx, v.ID, MaxText)
		var large *object.TooLargeError
		if errors.As(err, &large) {
			return out, fmt.Errorf("a file of %d bytes is too large to compare line by line", large.Size)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}
