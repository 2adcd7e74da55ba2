package remotework

import (
	"strings"
	"testing"
)

func TestSeatOf_knowsSchedulers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ env, seat, incarnation string }{
		{"", "", ""},
		{"CI=true", "", ""},
		{"SLURM_JOB_ID=17 SLURM_CLUSTER_NAME=lab", "slurm:lab:17", "0"},
		{"SLURM_JOB_ID=19 SLURM_ARRAY_JOB_ID=17 SLURM_ARRAY_TASK_ID=3 SLURM_CLUSTER_NAME=lab SLURM_RESTART_COUNT=2", "slurm:lab:17_3", "2"},
		{"GITHUB_ACTIONS=true GITHUB_REPOSITORY=team/shop GITHUB_WORKFLOW=nightly GITHUB_JOB=go-on GITHUB_RUN_ID=1658821493 GITHUB_RUN_ATTEMPT=2", "github:team/shop:nightly:go-on", "1658821493002"},
		{"GITHUB_ACTIONS=true GITHUB_WORKFLOW=a:b GITHUB_JOB=j GITHUB_RUN_ID=x", "github:a-b:j", ""},
		{"GITHUB_ACTIONS=true GITHUB_WORKFLOW=w GITHUB_JOB=j GITHUB_RUN_ID=1234567890123456 GITHUB_RUN_ATTEMPT=1", "github:w:j", ""},
		{"GITLAB_CI=true CI_PROJECT_PATH=team/shop CI_JOB_NAME=go-on CI_NODE_INDEX=2 CI_JOB_ID=99", "gitlab:team/shop:go-on:2", "99"},
		{"BUILDKITE_PIPELINE_SLUG=shop BUILDKITE_STEP_KEY=go BUILDKITE_BUILD_NUMBER=7 BUILDKITE_RETRY_COUNT=1", "buildkite:shop:go", "7001"},
		{"JOB_COMPLETION_INDEX=4 JOB_NAME=migrate", "k8s:migrate:4", ""},
	} {
		env := map[string]string{}
		for _, v := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		if seat, incarnation := SeatOf(func(name string) string { return env[name] }); seat != c.seat || incarnation != c.incarnation {
			t.Errorf("%s: %q, %q, want %q, %q", c.env, seat, incarnation, c.seat, c.incarnation)
		}
	}
}
