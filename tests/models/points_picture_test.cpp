// The picture that a save of a run on points draws.
#include <doctest/doctest.h>
#include <slope/core/files/folder_sink.h>
#include <slope/models/train/tasks/points_task.h>
#include <slope/tests/file_text.h>
#include <slope/tests/models/run_settings.h>
#include <slope/tests/temporary_folder.h>

using namespace slope;

TEST_CASE("points: the picture of a large model is coarser, so that a save does not wait for it") {
  const test::TemporaryFolder root;
  const auto cells_of = [&](const std::string& hidden) {
    const train::RunSettings settings = test::settings_of("mlp", {{"hidden", hidden}});
    const train::PointsTask task(settings);
    FolderSink sink(root.file(hidden));
    task.save(sink);
    sink.commit();
    const std::string svg = test::file_text(root.file(hidden + "/boundary.svg"));
    size_t cells = 0;
    for (size_t at = 0; (at = svg.find("<rect", at)) != std::string::npos; ++at) ++cells;
    return cells;
  };
  CHECK(cells_of("16") > 64);  // 96 in each of 64 rows, of which equal neighbours are one
  const size_t few = cells_of("1000");
  CHECK(few > 32);
  CHECK(few <= 48 * 32 + 1);
}
