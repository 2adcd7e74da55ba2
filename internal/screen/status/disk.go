package status

import (
	"github.com/git-resume/git-resume/internal/handler/doctor"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// leastShown is the size from which "git resume status --all" mentions disk space. Nobody wants to free less than that.
const leastShown = 1 << 20

// Disk prints how much disk space git-resume takes, if it is worth mentioning.
func Disk(s page.Page, d *doctor.Disk) {
	if d.Total() < leastShown {
		return
	}
	s.Say("\n")
	for _, line := range words.DiskLines(d) {
		s.Row("disk", line)
	}
}
