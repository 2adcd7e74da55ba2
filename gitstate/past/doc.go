// Package past answers questions about commits: common ancestors, differences, who changed a file, and the result of a merge. A merge is
// tried in a temporary object store.
package past
