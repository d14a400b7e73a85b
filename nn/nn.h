// Everything of nn.
#pragma once

#include <slope/nn/init.h>
#include <slope/nn/layers/activations.h>
#include <slope/nn/layers/dropout.h>
#include <slope/nn/layers/embedding.h>
#include <slope/nn/layers/layer_norm.h>
#include <slope/nn/layers/linear.h>
#include <slope/nn/layers/module_list.h>
#include <slope/nn/layers/rms_norm.h>
#include <slope/nn/layers/sequential.h>
#include <slope/nn/module/clone.h>
#include <slope/nn/module/load.h>
#include <slope/nn/module/print.h>
#include <slope/nn/module/state.h>
#include <slope/nn/transformer/attention.h>
#include <slope/nn/transformer/attention_paths.h>
#include <slope/nn/transformer/decoder_cache.h>
#include <slope/nn/transformer/encoder_decoder.h>
#include <slope/nn/transformer/feed_forward.h>
#include <slope/nn/transformer/heads.h>
#include <slope/nn/transformer/kv_cache.h>
#include <slope/nn/transformer/mask.h>
#include <slope/nn/transformer/packed_pair.h>
#include <slope/nn/transformer/positions.h>
#include <slope/nn/transformer/sequences.h>
#include <slope/nn/transformer/stacks.h>
