// Package past says what commits hold and how they are related: common ancestors, differences, who changed a file,
// and the result of a merge, which is tried in a temporary object store.
package past
