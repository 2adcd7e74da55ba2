package sources

import (
	"path"
	"slices"
)

// BMAD is the name of the source that reads the sprints of the tool BMAD. sprintOutput is the folder into which the tool writes by default.
const (
	BMAD         = "bmad"
	sprintOutput = "_bmad-output"
)

// sprintFolders returns the folders in which versions of BMAD keep their table of stories, the newest version first.
func sprintFolders() []string {
	return []string{
		sprintOutput + "/implementation-artifacts", sprintOutput, "bmad-output/implementation-artifacts", "docs/implementation-artifacts", "docs/sprint-artifacts",
		".bmad-ephemeral", "docs/stories", "docs/bmad", "docs", "bmad",
	}
}

// mostTables is the largest number of tables of one project that are read.
const mostTables = 20

// SprintTables returns the tables of stories that a project has, the most usual place first. The argument "under" is the folder of the
// project, which is empty or ends with a slash. Tables in the folders "more" come last.
func SprintTables(t Tree, under string, more ...string) (out []string) {
	for _, dir := range append(sprintFolders(), more...) {
		if !t.Has(under + dir) {
			continue
		}
		for _, base := range []string{"sprint-status.yaml", "sprint-status.yml"} {
			file := path.Join(under, dir, base)
			if !slices.Contains(out, file) && len(out) < mostTables && t.Has(file) {
				out = append(out, file)
			}
		}
	}
	return out
}

// SprintProjects returns the folders of a worktree that may have a table of stories: its top, the projects below it that contain the folder
// _bmad-output, and the folders that the setting resume.bmad.path names. Each result is empty or ends with a slash.
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
	return len(SprintTables(t, "")) > 0
}
