#include <slope/core/error.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/files/system_call.h>
#include <slope/models/run/saved_together.h>

namespace slope::train {

constexpr const char *model_file = "model.safetensors", *optimizer_file = "state.safetensors";

void record_files(RunState& state, const FolderSink& checkpoint) {
  const auto checksum = [&](const char* name) -> std::string {
    const std::string file = checkpoint.file(name);
    return sys::kind(file) == sys::Kind::file ? safetensors_checksum(file) : "";
  };
  state.model_checksum = checksum(model_file);
  state.optimizer_checksum = checksum(optimizer_file);
}

void check_files(const RunState& state, const std::string& folder) {
  const auto differs = [&](const char* name, const std::string& recorded) {
    return !recorded.empty() && safetensors_checksum(folder + "/" + name) != recorded;
  };
  const bool model = differs(model_file, state.model_checksum),
             optimizer = differs(optimizer_file, state.optimizer_checksum);
  SLOPE_CHECK_INPUT(!model && !optimizer,
                    "{0}/{1}: {2}; a run goes on only from files of one step: put the file of this "
                    "step back, or start a new run from these weights: --from {0}",
                    folder,
                    model && optimizer ? "state.json"
                    : model            ? model_file
                                       : optimizer_file,
                    model && optimizer ? "was saved with other weights and another optimizer state"
                                       : "was not saved with the state.json beside it");
}

}  // namespace slope::train
