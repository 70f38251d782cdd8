// Package delegate lets the npm tool "skills" install in place of this program: it
// chooses between the two, finds that tool, writes its command line and runs it.
//
// It prints nothing and reads no environment: PATH, the environment of the tool and the
// path of the own executable are handed in, and the tool's output is handed out.
//
// Rules that hold everywhere:
//
//   - A command line always names skills and always has -y: left alone, the tool would
//     decide by itself what to take from a source that holds several.
//   - The tool found is never this program, whatever it is called: files are compared,
//     not names. A copy of it is another file, so the tool is run with the variable
//     Guard set, at which this program refuses to install.
//   - When the tool fails that is the error. Nothing is installed in another way instead.
//   - The records of the tool (.agents/.skill-lock.json, skills-lock.json) are its own.
//
// A use:
//
//	program, err := delegate.Search{Path: path, Self: self}.Find()
//	engine, reason := delegate.Choose(delegate.Facts{Named: true, Found: err == nil})
//	if engine == delegate.Skills {
//		tool := delegate.Tool{Program: program, Dir: project, Environment: environment, Output: show}
//		err = tool.Add(ctx, delegate.Request{Source: "acme/kit", Skills: []string{"pdf"}})
//	}
package delegate
