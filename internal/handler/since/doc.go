// Package since finds what happened to runs since a person last looked at them: tasks, failures, questions, commits, and
// what was continued without asking anybody. It reads journals and branches, and writes only when the person last looked.
package since
