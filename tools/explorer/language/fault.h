// Fault: what is wrong with a program, and where.
#pragma once

#include <slope/core/error.h>

#include <string>
#include <typeinfo>

namespace slope::explorer {

// A part of one line; lines and columns count from 1, `end` is the column after it.
struct Place {
  int line = 1, column = 1, end = 1;
};

struct Fault : Error {
  Fault(std::string kind, const std::string& message, Place place)
      : Error(message), kind(std::move(kind)), place(place) {}
  std::string kind;  // "syntax", "name", "limit", or the engine's: "ShapeError"
  Place place;
};

// The kind of an engine error: the name of its class.
inline const char* kind_of(const std::exception& e) {
  if (dynamic_cast<const ShapeError*>(&e)) return "ShapeError";
  if (dynamic_cast<const IndexError*>(&e)) return "IndexError";
  if (dynamic_cast<const DTypeError*>(&e)) return "DTypeError";
  if (dynamic_cast<const AutogradError*>(&e)) return "AutogradError";
  if (dynamic_cast<const MemoryError*>(&e)) return "MemoryError";
  if (dynamic_cast<const UsageError*>(&e)) return "UsageError";
  if (dynamic_cast<const InputError*>(&e)) return "InputError";
  if (dynamic_cast<const NumericError*>(&e)) return "NumericError";
  return "Error";
}

}  // namespace slope::explorer
