// The names that an error message suggests.
#include <slope/core/text/spelling.h>

#include <doctest/doctest.h>

using slope::did_you_mean, slope::nearest;

using Names = std::vector<std::string>;

TEST_CASE("spelling: the nearest name is suggested, and all of those that are equally near") {
  CHECK(nearest("softmaxx", {"sum", "softmax", "softmin"}) == Names{"softmax"});
  CHECK(did_you_mean("softmaxx", {"sum", "softmax"}) == " (did you mean softmax?)");
  CHECK(did_you_mean("sax", {"tan", "max", "sum", "sin", "max"}) == " (did you mean max?)");
  CHECK(did_you_mean("san", {"tan", "sum", "sin"}) == " (did you mean tan or sin?)");
  CHECK(did_you_mean("san", {"tan", "sin", "can"}) == " (did you mean tan or sin or can?)");
  CHECK(did_you_mean("san", {"tan", "sin", "can", "sap"}) == "");  // of four none is probable
}

TEST_CASE("spelling: a letter in the wrong case decides between names that are equally near") {
  CHECK(nearest("LRx", {"LR", "lr"}) == Names{"LR"});
  CHECK(nearest("Steps", {"steps"}) == Names{"steps"});
}

TEST_CASE("spelling: nothing is suggested for a name that is far from all") {
  CHECK(nearest("nothing", {"softmax", "sum"}).empty());
  CHECK(nearest("", {"a"}).empty());
  CHECK(nearest("ab", {"xy"}).empty());
}
