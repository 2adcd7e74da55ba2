// Package hostile makes repositories that try to do harm, and checks what the program does in them.
//
// Anybody may have written what is stored in a repository. Whatever it says: no part of it runs unless this machine's
// user approved it, none of it sends control codes to the terminal, nothing outside the repository is touched,
// reading changes no byte, and time and memory stay within bounds.
// The package holds only tests and exports nothing.
package hostile
