package bmad

import (
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }
