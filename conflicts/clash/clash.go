package clash

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// Kind says what two sides did to a path so that it cannot be merged.
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
	// Unknown: it is not known whether the path can be merged.
	Unknown Kind = "unknown"
)

// The sides of a merge, as array indexes.
const (
	InBase = iota
	InOurs
	InTheirs
)

// Other returns the opposite side.
func Other(side int) int { return 3 - side }

// Clash is a path that cannot be merged, as found by an engine.
type Clash struct {
	Path string
	// Listed is the path in git's result, in which commits made for the merge still appear with their own ids.
	Listed string
	Kind   Kind
	// At holds the versions (base, ours, theirs), and Names their paths.
	At    [3]object.Version
	Names [3]string
	Why   string
	// Regions are the merged regions of the file; Placed says that an engine has found them already.
	Regions []lines.Region
	Placed  bool
}

// Verdict is the result of an engine.
type Verdict struct {
	Clean   bool
	Clashes []Clash
	Merged  []string // changed by both sides without a conflict
	Doubts  []Doubt
	// Result is the tree that git made, with conflict markers; empty for the builtin engine.
	Result object.ID
}

// Doubt is something that an engine could not decide, which counts as a conflict.
type Doubt struct {
	Path, Text string
	// Astray is true if it is not clear where files of a renamed directory belong; no path is in conflict because of that.
	Astray bool
}

// Merge is the question for an engine.
type Merge struct {
	Repo *past.Scratch
	// Tips are the commits of the base and of both sides.
	Tips [3]object.ID
	// Several is true if the sides have more than one common ancestor.
	Several bool
	// Changed is what each side changed since the base, without following renames.
	Changed [3][]past.Delta
	// Labels are the names of the sides that are appended to files that are moved aside.
	Labels [3]string
}

// TypeOf distinguishes files, links and submodules; it returns FileType for a file.
func TypeOf(v object.Version) uint32 { return v.Mode &^ 0o7777 }

const FileType = 0o100000

// TypeKind returns the kind of a conflict between a file and something that is not a file.
func TypeKind(at [3]object.Version) Kind {
	for _, v := range at {
		if v.Mode == object.ModeSubmodule {
			return Submodule
		}
	}
	return Symlink
}

// SameTypeKind returns the kind of a conflict between two versions of the same type.
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

// MaxText is the largest size of a file that is compared line by line.
const MaxText = 32 << 20

// ReadTexts reads the versions of a file; a version that is not a file or does not exist is empty.
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
