# SPDX-License-Identifier: Apache-2.0
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
with tf.device("/gpu:0"):
    model.fit(tf.random.normal((64, 4)), tf.zeros((64,), tf.int32), batch_size=16)
