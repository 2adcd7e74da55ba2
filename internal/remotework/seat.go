package remotework

import (
	"cmp"
	"strings"
)

// SeatOf returns which job of a scheduler this process is (the seat), and which start of this job it is (the incarnation). A newer start
// of a job may take the lease from an older one at once. Both results are empty if no scheduler is known. The incarnation is also empty if
// starts cannot be compared.
func SeatOf(getenv func(string) string) (seat, incarnation string) {
	has := func(name string) bool { return getenv(name) != "" }
	switch {
	case has("SLURM_JOB_ID"):
		job := getenv("SLURM_JOB_ID")
		if has("SLURM_ARRAY_JOB_ID") {
			job = getenv("SLURM_ARRAY_JOB_ID") + "_" + getenv("SLURM_ARRAY_TASK_ID")
		}
		return join("slurm", getenv("SLURM_CLUSTER_NAME"), job), cmp.Or(getenv("SLURM_RESTART_COUNT"), "0")
	case getenv("GITHUB_ACTIONS") == "true" && has("GITHUB_WORKFLOW"):
		return join("github", getenv("GITHUB_REPOSITORY"), getenv("GITHUB_WORKFLOW"), getenv("GITHUB_JOB")), attempt(getenv("GITHUB_RUN_ID"), getenv("GITHUB_RUN_ATTEMPT"))
	case has("GITLAB_CI") && has("CI_JOB_NAME"):
		return join("gitlab", getenv("CI_PROJECT_PATH"), getenv("CI_JOB_NAME"), getenv("CI_NODE_INDEX")), getenv("CI_JOB_ID")
	case has("BUILDKITE_PIPELINE_SLUG"):
		return join("buildkite", getenv("BUILDKITE_PIPELINE_SLUG"), getenv("BUILDKITE_STEP_KEY"), getenv("BUILDKITE_PARALLEL_JOB")), attempt(getenv("BUILDKITE_BUILD_NUMBER"), getenv("BUILDKITE_RETRY_COUNT"))
	case has("JOB_COMPLETION_INDEX"):
		// Kubernetes does not number the starts of an indexed job. Without an incarnation, each start may take the lease from the one before it.
		return join("k8s", getenv("JOB_NAME"), getenv("JOB_COMPLETION_INDEX")), ""
	}
	return "", ""
}

// join returns the name of a seat (a job of a scheduler). It joins the parts with colons and leaves out missing ones.
func join(parts ...string) string {
	out := parts[:1:1]
	for _, p := range parts[1:] {
		if p != "" {
			out = append(out, strings.ReplaceAll(p, ":", "-"))
		}
	}
	return strings.Join(out, ":")
}

// attempt combines the number of a job and the number of its repetition, as the scheduler counts them, into one number, which is higher for
// a later start of the job. If the numbers cannot be combined, it returns "". Then each start of the job may take the lease from another.
func attempt(run, again string) string {
	const digits = 3
	again = cmp.Or(again, "0")
	if !decimal(run) || !decimal(again) || len(again) > digits || len(run) > 18-digits {
		return ""
	}
	return run + strings.Repeat("0", digits-len(again)) + again
}

func decimal(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
