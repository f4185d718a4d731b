"""contradiction"""
