// The `slope` command as a function, for programs that bring models of their own:
//
//   int main(int argc, char** argv) {
//     slope::models::register_model(
//         slope::models::language_model<TinyGpt>("tiny", "my first GPT"));
//     return slope::tools::command_main(argc, argv);
//   }
//
// Such a program links slope::command and has the whole command: `program train tiny`, resume,
// generate, eval, gradcheck --model tiny, graph tiny, zoo.
#pragma once

namespace slope::tools {

// Returns the exit code (docs/design.md).
int command_main(int argc, char** argv);

}  // namespace slope::tools
