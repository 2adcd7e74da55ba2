package sources

import (
	"path/filepath"
	"slices"
)

// BMAD is the source of the sprints of BMAD. sprintOutput is the folder in which it writes by default.
const (
	BMAD         = "bmad"
	sprintOutput = "_bmad-output"
)

// SprintFolders returns the folders in which versions of BMAD keep their table of stories, the newest version first.
func SprintFolders() []string {
	return []string{
		sprintOutput + "/implementation-artifacts", sprintOutput, "bmad-output/implementation-artifacts", "docs/implementation-artifacts", "docs/sprint-artifacts",
		".bmad-ephemeral", "docs/stories", "docs/bmad", "docs", "bmad",
	}
}

// SprintFiles returns the file names of a table of stories.
func SprintFiles() []string { return []string{"sprint-status.yaml", "sprint-status.yml"} }

// SprintProjects returns the folders of a worktree that may have a table of stories: its top, the projects below it, and the folders that
// the setting resume.bmad.path names. Each result is empty or ends with a slash.
func SprintProjects(v *View, t Tree) []string {
	out := []string{""}
	for _, dir := range append(t.Projects(sprintOutput), v.namedFolders(BMAD)...) {
		if dir += "/"; dir != "./" && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// HasSprint reports whether the top of a worktree has a table of stories, so that its stories belong to BMAD. The answer is no if the
// setting resume.sources leaves BMAD out.
func HasSprint(v *View, t Tree) bool {
	if v.Setting != nil && !Selects(v.Setting("resume.sources"), BMAD) {
		return false
	}
	return slices.ContainsFunc(SprintFolders(), func(dir string) bool {
		return t.Has(dir) && slices.ContainsFunc(SprintFiles(), func(base string) bool { return t.Has(dir + "/" + base) })
	})
}

// IsBelow reports whether a path with forward slashes stays in the folder that it starts from.
func IsBelow(path string) bool { return filepath.IsLocal(filepath.FromSlash(path)) }
