package autoclaude

import (
	"fmt"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
)

// A recorded commit that was not looked up, because there are too many records, does not count as lost.
func TestFindCommits_manyRecords(t *testing.T) {
	t.Parallel()
	r := &reading{}
	for i := range mostRecords + 5 {
		r.commits.list = append(r.commits.list, record{id: fmt.Sprint(i), hash: fmt.Sprintf("%040x", i)})
	}
	there := map[string]object.ID{}
	for _, h := range r.commits.hashes() {
		there[h] = object.ID(h)
	}
	there[r.commits.list[mostRecords].hash] = "" // this commit cannot be read any more
	if r.findCommits(nil, there); r.proof.lost != 1 {
		t.Errorf("%d recorded commits are lost", r.proof.lost)
	}
}
