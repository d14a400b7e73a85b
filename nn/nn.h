// Everything of nn.
#pragma once

#include <slope/nn/activations.h>
#include <slope/nn/attention.h>
#include <slope/nn/clone.h>
#include <slope/nn/dropout.h>
#include <slope/nn/embedding.h>
#include <slope/nn/feed_forward.h>
#include <slope/nn/functional.h>
#include <slope/nn/init.h>
#include <slope/nn/kv_cache.h>
#include <slope/nn/layer_norm.h>
#include <slope/nn/linear.h>
#include <slope/nn/load.h>
#include <slope/nn/mask.h>
#include <slope/nn/module_list.h>
#include <slope/nn/positions.h>
#include <slope/nn/print.h>
#include <slope/nn/rms_norm.h>
#include <slope/nn/sequences.h>
#include <slope/nn/sequential.h>
#include <slope/nn/state.h>
