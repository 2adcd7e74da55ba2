package builtin

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/conflicts/builtin/histogram"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// readAttributes reads the merge attributes of all files whose content may have to be merged, with one git command.
func (m *merger) readAttributes(ctx context.Context) error {
	var paths []string
	for p, e := range m.paths {
		if !e.done && e.same == noMatch && clash.TypeOf(e.at[clash.InOurs]) == clash.FileType && clash.TypeOf(e.at[clash.InTheirs]) == clash.FileType {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	var err error
	m.attributes, err = past.Attributes(ctx, m.Repo.Repo, "merge", paths)
	return err
}

// mergeContent merges our and their version of a path. Both versions must have the same type, for example both are files.
func (m *merger) mergeContent(ctx context.Context, path string, e *entry) (outcome, error) {
	base, ours, theirs := e.at[clash.InBase], e.at[clash.InOurs], e.at[clash.InTheirs]
	out := outcome{clean: true}
	if ours.Mode != theirs.Mode && ours.Mode != base.Mode && theirs.Mode != base.Mode {
		out = outcome{kind: clash.Mode}
	}
	if e.merged == 0 && (ours.ID == theirs.ID || ours.ID == base.ID || theirs.ID == base.ID) {
		return out, nil
	}
	if clash.TypeOf(ours) != clash.FileType {
		return outcome{kind: clash.SameTypeKind(e.at)}, nil
	}
	text, err := m.mergeText(ctx, path, e)
	if !out.clean && text.clean {
		text.clean, text.kind = false, clash.Mode
	}
	if text.clean {
		m.verdict.Merged = append(m.verdict.Merged, path)
	}
	return text, err
}

// mergeText merges two files as the merge attribute of their path requires. Without this attribute, the setting merge.default decides.
func (m *merger) mergeText(ctx context.Context, path string, e *entry) (outcome, error) {
	way, set := m.attributes[path]
	if !set {
		way = m.settings.defaultWay
	}
	switch {
	case m.settings.drivers(way):
		return outcome{kind: clash.Unknown, why: fmt.Sprintf("the custom merge driver '%s' would merge this file", way)}, nil
	case way == "unset" || way == "binary":
		return outcome{kind: clash.Binary}, nil
	}
	kind := clash.Content
	if clash.TypeOf(e.at[clash.InBase]) != clash.FileType {
		kind = clash.AddAdd
	}
	if e.merged != 0 {
		return m.mergeOnto(ctx, e.at[clash.Other(e.merged)])
	}
	texts, err := clash.ReadTexts(ctx, m.Repo, e.at)
	if err != nil {
		if ctx.Err() != nil {
			return outcome{}, err
		}
		return outcome{kind: clash.Unknown, why: err.Error()}, nil
	}
	if slices.ContainsFunc(texts[:], lines.IsBinary) {
		return outcome{kind: clash.Binary}, nil
	}
	if way == "union" {
		return outcome{clean: true}, nil
	}
	ours, theirs, err := histogram.Conflicts(texts)
	if err != nil {
		return outcome{kind: clash.Unknown, why: err.Error()}, nil
	}
	return outcome{clean: len(ours) == 0, kind: kind, lines: [3][]lines.Span{nil, ours, theirs}}, nil
}

// mergeOnto decides about a renamed file if another file was added at its new path. The two files have no common base,
// so they conflict if the added file is not empty.
func (m *merger) mergeOnto(ctx context.Context, added object.Version) (outcome, error) {
	h, err := m.Repo.Hasher(ctx)
	return outcome{clean: added.ID == h.ID("blob", nil), kind: clash.RenameAdd, why: "a file was renamed to the path of another file"}, err
}
