namespace sanduk {}
